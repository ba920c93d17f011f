// SPDX-License-Identifier: Apache-2.0
#include "gui/views/paint_range.h"

#include <QPainter>
#include <algorithm>

#include "gui/views/theme.h"

namespace vramscope::gui {

void paintRange(QPainter& painter, const TimeMap& map, const TimeRange& range, const Theme& theme, double top,
                double bottom) {
    const double left = std::max(map.xOf(range.fromNs), map.left());
    const double right = std::min(map.xOf(range.toNs), map.left() + map.width());
    if (range.isEmpty() || right <= left) return;
    QColor fill = theme.accent;
    fill.setAlpha(36);
    painter.fillRect(QRectF(left, top, right - left, bottom - top), fill);
    painter.setPen(QPen(theme.accent, 1));
    painter.drawLine(QPointF(left, top), QPointF(left, bottom));
    painter.drawLine(QPointF(right, top), QPointF(right, bottom));
}

}  // namespace vramscope::gui
