// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/model/amounts.h"
#include "analyzer/model/ids.h"

namespace vramscope::model {

/// A kernel that was given a pointer to a buffer, and how often.
struct KernelUse {
    std::string_view kernel;  ///< mangled, as the driver names it
    std::int64_t launches = 0;
    StackId firstStack;
};

/// Guard bytes behind a buffer were found changed (`--guard`).
struct GuardHit {
    GuardHitId id;
    ProcessId processId;
    std::int64_t address =
        0;  ///< of the buffer, with allocNs its name: the address may have been another's later
    std::int64_t allocNs = 0;
    std::int64_t sinceNs = 0;  ///< the guard was whole then
    std::int64_t foundNs = 0;
    std::int64_t firstOffset = 0;  ///< of the first changed byte, from the buffer's end
    std::int64_t changedBytes = 0;
    std::int64_t launchNs = kNever;  ///< the launch behind which it was seen; kNever where none is known
    ThreadId launchThreadId;
    std::string_view launchedKernel;  ///< its kernel, as the driver names it; empty when not known
    BufferId bufferId;                ///< none if the capture has no such buffer
    std::vector<KernelUse> kernels;  ///< launched with a pointer to it while the guard changed; the first few
};

}  // namespace vramscope::model
