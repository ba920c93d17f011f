// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plate_room.h"

#include <algorithm>

namespace vramscope::gui {
namespace {

/// Each place that is tried is held against all of them.
constexpr std::size_t kMostSpared = 500;
/// Between words and what they go around.
constexpr double kGap = 2;
/// So many times words go around something before another corner is tried.
constexpr int kMostPushes = 8;

const QRectF* inTheWay(const std::vector<QRectF>& rects, const QRectF& rect) {
    const auto at = std::ranges::find_if(rects, [&](const QRectF& other) { return other.intersects(rect); });
    return at == rects.end() ? nullptr : &*at;
}

}  // namespace

void PlateRoom::spare(const QRectF& rect) {
    if (m_spared.size() < kMostSpared) m_spared.push_back(rect);
}

std::optional<QRectF> PlateRoom::pushed(QRectF rect, double right, bool sparesAll) const {
    for (int i = 0; i <= kMostPushes && rect.right() <= right; ++i) {
        const QRectF* other = inTheWay(m_kept, rect);
        if (!other && sparesAll) other = inTheWay(m_spared, rect);
        if (!other) return rect;
        rect.moveLeft(other->right() + kGap);
    }
    return std::nullopt;
}

std::optional<QRectF> PlateRoom::take(const QRectF& within, const QSizeF& size,
                                      const std::vector<QPointF>& corners) {
    if (size.width() > within.width() || size.height() > within.height()) return std::nullopt;
    for (const bool sparesAll : {true, false}) {
        for (const QPointF& corner : corners) {
            const QRectF wanted({std::clamp(corner.x(), within.left(), within.right() - size.width()),
                                 std::clamp(corner.y(), within.top(), within.bottom() - size.height())},
                                size);
            const std::optional<QRectF> place = pushed(wanted, within.right(), sparesAll);
            if (!place) continue;
            m_kept.push_back(*place);
            return place;
        }
    }
    return std::nullopt;
}

}  // namespace vramscope::gui
