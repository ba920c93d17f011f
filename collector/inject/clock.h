// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include <cstdint>

namespace vramscope::collector {

/// CLOCK_MONOTONIC in nanoseconds: one clock for all processes of a machine. Served by the vDSO, no system call
/// (38 ns on the H200 machine of docs/measurements.md).
inline std::uint64_t monotonicNs() {
    timespec now;
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace vramscope::collector
