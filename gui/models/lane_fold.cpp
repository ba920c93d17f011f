// SPDX-License-Identifier: Apache-2.0
#include "gui/models/lane_fold.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>

namespace vramscope::gui {
namespace {

/// Of an even number the lower one, which is one of them.
std::int64_t medianOf(std::vector<std::int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

Fold foldByPeak(const std::vector<std::int64_t>& peakBytes, std::size_t mostApart) {
    Fold fold;
    std::vector<std::size_t> all(peakBytes.size());
    std::iota(all.begin(), all.end(), 0);
    if (all.size() <= mostApart) {
        fold.apart = all;
        return fold;
    }
    const std::int64_t median = medianOf(peakBytes);
    std::vector<std::int64_t> distances;
    for (const std::int64_t peak : peakBytes)
        distances.push_back(std::abs(peak - median));
    const std::int64_t far = std::max(3 * medianOf(distances), median / 20);
    std::vector<std::size_t> outliers;
    std::copy_if(all.begin(), all.end(), std::back_inserter(outliers),
                 [&](std::size_t i) { return distances[i] > far; });
    std::stable_sort(outliers.begin(), outliers.end(),
                     [&](std::size_t a, std::size_t b) { return distances[a] > distances[b]; });
    // One place is for those that are folded.
    outliers.resize(std::min(outliers.size(), std::max<std::size_t>(mostApart, 1) - 1));
    std::sort(outliers.begin(), outliers.end());
    fold.apart = outliers;
    std::set_difference(all.begin(), all.end(), outliers.begin(), outliers.end(),
                        std::back_inserter(fold.folded));
    std::vector<std::size_t> byPeak = fold.folded;
    std::stable_sort(byPeak.begin(), byPeak.end(),
                     [&](std::size_t a, std::size_t b) { return peakBytes[a] < peakBytes[b]; });
    fold.median = byPeak[(byPeak.size() - 1) / 2];
    fold.leastBytes = peakBytes[byPeak.front()];
    fold.mostBytes = peakBytes[byPeak.back()];
    return fold;
}

}  // namespace vramscope::gui
