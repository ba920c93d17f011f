// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace vramscope::formats {

/// What the stamps of records count. The recorder turns both into CLOCK_MONOTONIC nanoseconds.
enum class ClockKind : std::uint32_t {
    Monotonic,  ///< CLOCK_MONOTONIC nanoseconds, 38 ns a reading on the H200 machine of docs/measurements.md
    Counter,    ///< the processor's constant-rate counter, some 10 ns a reading
};

/// CLOCK_MONOTONIC in nanoseconds: one clock for all processes of a machine, served by the vDSO without a
/// system call.
inline std::uint64_t monotonicNs() {
    timespec now;
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

/// A stamp of the job's clock. Not moved before earlier loads and stores of the same thread.
inline std::uint64_t readTicks(ClockKind kind) {
    if (kind == ClockKind::Monotonic) return monotonicNs();
#if defined(__x86_64__)
    _mm_lfence();
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t ticks;
    asm volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
#else
    return monotonicNs();
#endif
}

/// The same without a fence: may be read up to a few dozen instructions early. For stamps that nothing is
/// concluded from to the nanosecond; saves some 10 ns.
inline std::uint64_t readTicksRelaxed(ClockKind kind) {
#if defined(__x86_64__)
    if (kind == ClockKind::Counter) return __rdtsc();
#endif
    return readTicks(kind);
}

}  // namespace vramscope::formats
