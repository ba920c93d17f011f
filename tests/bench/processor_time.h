// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <sched.h>

namespace vramscope::bench {

/// Processor time that the calling thread has used, in nanoseconds. On a machine that others use too, this
/// says what work costs; the time on the wall says how busy the others are.
inline std::uint64_t threadNs() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(used.tv_nsec);
}

/// Keeps the calling thread on the processor that it runs on. Threads made later inherit it.
inline void stayOnThisProcessor() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ::sched_setaffinity(0, sizeof(one), &one);
}

}  // namespace vramscope::bench
