// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace vramscope::detectors {

/// The live count of one stack's buffers along a clock that ticks with the job's work (or with its steps).
struct GrowthCurve {
    struct Change {
        std::int64_t position;  ///< on the clock
        int step;               ///< +1 for an allocation, -1 for a free
    };
    std::vector<Change> changes;         ///< in order of time
    std::vector<std::int64_t> keptAt;    ///< positions of the allocations that were never freed, rising
    std::int64_t endPosition = 0;        ///< where the clock stopped
    std::int64_t shortestQuietTail = 0;  ///< a tail up to this long is never called quiet
};

/// Fewer than this many buffers that stay are no growth.
inline constexpr std::int64_t kFewestKept = 5;

/// True when the curve rises until the end of the run and does not fall back.
///
/// The run from the stack's first allocation to its end is cut into quarters, and the least live count of
/// each is taken, so that blocks which come and go cancel out. The first quarter is left to warm-up. Each
/// later quarter must bring at least half of an even share of the rise; so a cache that fills, a warm-up, a
/// replay buffer of fixed length or shapes that are compiled until all are known are not growth. And the last
/// block that stayed must not lie longer back than twice the longest pause between two such blocks, or a
/// tenth of the run.
bool keepsGrowing(const GrowthCurve& curve);

}  // namespace vramscope::detectors
