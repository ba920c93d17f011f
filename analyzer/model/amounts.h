// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace vramscope::model {

inline constexpr std::int64_t kKiB = 1024;
inline constexpr std::int64_t kMiB = 1024 * kKiB;
inline constexpr std::int64_t kGiB = 1024 * kMiB;
/// The driver hands out device memory in pages of this size (measured; design.md section 6).
inline constexpr std::int64_t kPageBytes = 2 * kMiB;
inline constexpr std::int64_t kNsPerSecond = 1'000'000'000;
/// Later than every time of a capture: the end of what has not ended.
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// a + b, stopping at the ends of the range: a hostile file must not overflow a sum.
inline std::int64_t addClamped(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

/// `bytes` rounded up to whole pages. `bytes` is at most 2^47 (the loader sees to it).
inline std::int64_t roundUpToPage(std::int64_t bytes) {
    return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

}  // namespace vramscope::model
