// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace vramscope::collector {

/// The start time of a process in clock ticks since boot; 0 when there is none of that number. `pid` is of
/// our pid namespace, here and below.
std::uint64_t startTicksOfPid(std::uint32_t pid);

/// Whether the process that began at `startTicks` has not ended. One whose main thread has ended has, though
/// its other threads may take a moment longer, and what it holds with them.
bool isStillThere(std::uint32_t pid, std::uint64_t startTicks);

/// What waitpid() will give to the parent of a process that has ended and that nobody has waited for yet
/// (/proc/PID/stat field 52, proc(5)). Nullopt when it is no such process or the kernel hides it from us.
std::optional<int> waitStatusOfZombie(std::uint32_t pid, std::uint64_t startTicks);

/// Our number of a process that calls itself `innerPid` in a pid namespace below ours; nullopt when there is
/// none that began then. Looks at every process there is.
std::optional<std::uint32_t> findInNamespaces(std::uint32_t innerPid, std::uint64_t startTicks);

}  // namespace vramscope::collector
