// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/model/ids.h"

namespace vramscope::model {

/// A launch that one of the digests of a watched buffer stands before and the other behind.
struct WatchedLaunch {
    std::int64_t enterNs = 0;
    std::int64_t exitNs = 0;
    ThreadId threadId;
    StreamId streamId;
    StackId stackId;
    std::string_view kernel;  ///< as the driver names it
};

/// Stands for copies and sets in DigestChange::others.
inline constexpr std::string_view kCopyOrSet = "a copy or set";

/// The bytes of a watched buffer were others after a launch than before it (`--watch`).
struct DigestChange {
    ProcessId processId;
    std::int64_t address = 0;  ///< of the buffer, with allocNs its name
    std::int64_t allocNs = 0;
    ThreadId threadId;
    std::int64_t launchNs = 0;
    std::int64_t fromNs = 0;  ///< the digest before the launch was put on its stream from here on
    std::int64_t toNs = 0;    ///< the one behind it had been put there
    BufferId bufferId;        ///< none if the capture has no such buffer
    WatchedLaunch launch;     ///< enterNs 0 if the capture has no such launch
    /// Other work that may have run between the two digests and may have written the buffer: kernels by name,
    /// copies and sets as kCopyOrSet; the first few.
    std::vector<std::string_view> others;
    /// Nothing but the launch can have changed the bytes.
    bool isWriterKnown = false;
};

}  // namespace vramscope::model
