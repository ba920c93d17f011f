// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRectF>
#include <optional>
#include <vector>

namespace vramscope::gui {

/// Where words may stand in a picture: they cover neither each other nor what must be seen, and where there
/// is a choice not even what had better be seen.
class PlateRoom {
public:
    /// Must not be covered.
    void keep(const QRectF& rect) { m_kept.push_back(rect); }
    /// Had better not be covered. Beyond some hundreds of such rectangles others are not looked at.
    void spare(const QRectF& rect);

    /// A free place for words of `size` inside of `within`: at the first of the corners (left, top) that
    /// covers nothing, or to the right of what is in the way there. It is taken from then on. nullopt where
    /// the words would have to cover something, or do not fit.
    std::optional<QRectF> take(const QRectF& within, const QSizeF& size, const std::vector<QPointF>& corners);

private:
    /// From `rect` to the right until it covers nothing.
    std::optional<QRectF> pushed(QRectF rect, double right, bool sparesAll) const;

    std::vector<QRectF> m_kept;
    std::vector<QRectF> m_spared;
};

}  // namespace vramscope::gui
