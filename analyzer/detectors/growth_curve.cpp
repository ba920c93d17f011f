// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/growth_curve.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace vramscope::detectors {
namespace {

constexpr int kParts = 4;

/// The least live count in each quarter, and behind them the count at the end.
std::array<std::int64_t, kParts + 1> floorsOf(const GrowthCurve& curve) {
    const std::int64_t start = curve.changes.front().position;
    const std::int64_t length = std::max<std::int64_t>(curve.endPosition - start, 1);
    const auto partOf = [&](std::int64_t position) {
        const double share = static_cast<double>(position - start) / static_cast<double>(length);
        return std::clamp(static_cast<int>(share * kParts), 0, kParts - 1);
    };
    std::array<std::int64_t, kParts + 1> floors{};
    std::int64_t live = 0;
    int part = 0;
    floors[0] = 0;
    for (const GrowthCurve::Change& change : curve.changes) {
        for (const int target = partOf(change.position); part < target;)
            floors[++part] = live;
        live += change.step;
        floors[part] = std::min(floors[part], live);
    }
    while (part < kParts)
        floors[++part] = live;
    return floors;
}

bool risesInEachPart(const GrowthCurve& curve) {
    const auto floors = floorsOf(curve);
    const std::int64_t rise = floors[kParts] - floors[1];
    if (rise < kParts - 1) return false;
    const double share = static_cast<double>(rise) / (kParts - 1);
    for (int part = 1; part < kParts; ++part) {
        const auto gain = static_cast<double>(floors[part + 1] - floors[part]);
        if (gain < 1.0 || gain < share / 2) return false;
    }
    return true;
}

bool endsQuietly(const GrowthCurve& curve) {
    std::int64_t longestPause = 0;
    for (std::size_t i = 1; i < curve.keptAt.size(); ++i) {
        longestPause = std::max(longestPause, curve.keptAt[i] - curve.keptAt[i - 1]);
    }
    const std::int64_t tail = curve.endPosition - curve.keptAt.back();
    const std::int64_t tenth = (curve.endPosition - curve.changes.front().position) / 10;
    return tail > std::max({2 * longestPause, tenth, curve.shortestQuietTail});
}

}  // namespace

bool keepsGrowing(const GrowthCurve& curve) {
    if (static_cast<std::int64_t>(curve.keptAt.size()) < kFewestKept) return false;
    return risesInEachPart(curve) && !endsQuietly(curve);
}

}  // namespace vramscope::detectors
