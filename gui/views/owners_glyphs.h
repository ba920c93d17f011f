// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QString>

class QPainter;

namespace vramscope::gui {

/// Half the width of a triangle.
inline constexpr double kGlyph = 3.5;

/// A triangle that points down: filled for a write, hollow for a read.
void paintTriangle(QPainter& painter, const QPointF& tip, const QColor& color, bool isFilled,
                   const QColor& back);
/// A cross with a seam in the colour of what lies behind it.
void paintCross(QPainter& painter, const QPointF& at, const QColor& color, const QColor& back);
void paintArrow(QPainter& painter, const QPointF& from, const QPointF& to, const QColor& color);
/// Words on a plate that keeps them readable whatever lies below; shortened where it is too narrow for them.
void paintPlate(QPainter& painter, const QRectF& plate, const QString& text, const QColor& ink,
                const QColor& back);

}  // namespace vramscope::gui
