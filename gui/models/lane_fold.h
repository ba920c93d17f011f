// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vramscope::gui {

/// Many things that are much alike, as the few that differ and one that stands for the rest. Positions are
/// those in the list that was folded.
struct Fold {
    std::vector<std::size_t> apart;   ///< shown alone, in their order
    std::vector<std::size_t> folded;  ///< shown as one, in their order; empty when nothing is folded
    std::size_t median = 0;           ///< of `folded`, the one that stands for them
    std::int64_t leastBytes = 0;      ///< of `folded`
    std::int64_t mostBytes = 0;
};

/// Above this many devices lanes are folded.
inline constexpr std::size_t kMostDevicesApart = 4;
/// Above this many ranks of a job.
inline constexpr std::size_t kMostRanksApart = 8;

/// Up to `mostApart` peaks stay apart. Of more, the median stands for all but those that lie far from it
/// (three deviations, at least a twentieth), of which the farthest stay apart.
Fold foldByPeak(const std::vector<std::int64_t>& peakBytes, std::size_t mostApart);

}  // namespace vramscope::gui
