// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace vramscope::sim {

/// Tells one program run from all others: a pid alone comes back, and exec keeps it.
struct ProcessIdentity {
    pid_t pid = 0;
    uint64_t startTicks = 0;    ///< when the process began
    uint64_t stackAddress = 0;  ///< random for each exec; a driver's state does not survive one

    bool operator==(const ProcessIdentity&) const = default;
};

/// The identity of the program that runs under `pid` now; pid 0 when there is none or only a zombie is left
/// of it.
ProcessIdentity identityOf(pid_t pid);

}  // namespace vramscope::sim
