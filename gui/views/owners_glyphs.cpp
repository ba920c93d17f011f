// SPDX-License-Identifier: Apache-2.0
#include "gui/views/owners_glyphs.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace vramscope::gui {

void paintTriangle(QPainter& painter, const QPointF& tip, const QColor& color, bool isFilled,
                   const QColor& back) {
    painter.setPen(QPen(color, 1.2));
    painter.setBrush(isFilled ? QBrush(color) : QBrush(back));
    painter.drawPolygon(
        QPolygonF({tip, tip + QPointF(-kGlyph, -2 * kGlyph), tip + QPointF(kGlyph, -2 * kGlyph)}));
}

void paintCross(QPainter& painter, const QPointF& at, const QColor& color, const QColor& back) {
    constexpr double kArm = 5;
    for (const QPen& pen : {QPen(back, 5), QPen(color, 2.4)}) {
        painter.setPen(pen);
        painter.drawLine(at - QPointF(kArm, kArm), at + QPointF(kArm, kArm));
        painter.drawLine(at - QPointF(kArm, -kArm), at + QPointF(kArm, -kArm));
    }
}

void paintArrow(QPainter& painter, const QPointF& from, const QPointF& to, const QColor& color) {
    painter.setPen(QPen(color, 1.8));
    painter.drawLine(from, to);
    const QPointF way = to - from;
    const double length = std::max(std::hypot(way.x(), way.y()), 1.0);
    const QPointF along = way / length * 8;
    const QPointF across(-along.y() / 2, along.x() / 2);
    painter.setBrush(color);
    painter.drawPolygon(QPolygonF({to, to - along + across, to - along - across}));
}

void paintPlate(QPainter& painter, const QRectF& plate, const QString& text, const QColor& ink,
                const QColor& back) {
    painter.fillRect(plate, back);
    painter.setPen(ink);
    painter.drawText(plate, Qt::AlignCenter,
                     QFontMetricsF(painter.font()).elidedText(text, Qt::ElideRight, plate.width() - 4));
}

}  // namespace vramscope::gui
