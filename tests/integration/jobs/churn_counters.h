// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace vramscope::jobs {

/// Calls of the job that returned, in a file that outlives it; zero in a fresh file.
struct ChurnCounters {
    std::atomic<std::uint64_t> finishedAllocations;
    std::atomic<std::uint64_t> finishedFrees;
};

}  // namespace vramscope::jobs
