// SPDX-License-Identifier: Apache-2.0
// What TimelineView paints over its picture: findings, bookmarks, the range, the moment, the whole run.
#include <QPainter>
#include <algorithm>

#include "gui/models/story.h"
#include "gui/models/text.h"
#include "gui/views/paint_range.h"
#include "gui/views/theme.h"
#include "gui/views/timeline_view.h"

namespace vramscope::gui {
void TimelineView::paintMarks(QPainter& painter) {
    const Theme& theme = themeOf(*this);
    const QRect area = marksArea();
    painter.setPen(theme.quietText);
    painter.drawText(QRect(2, area.top(), area.left() - 8, area.height()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("findings"));
    painter.save();
    painter.setClipRect(area.adjusted(-6, 0, 6, 0));
    painter.setRenderHint(QPainter::Antialiasing);
    const double middle = area.center().y();
    const BufferFilter::Sources& sources = m_workspace.sources();
    if (sources.analysis && sources.store) {
        for (const detectors::Finding& finding : sources.analysis->findings) {
            if (!isProblem(finding.findingClass)) continue;
            const std::optional<TimeRange> when = whenOf(finding, *sources.store);
            if (!when) continue;
            const double x = m_map.xOf(when->fromNs);
            const double end = m_map.xOf(when->toNs);
            const bool isChosen = m_workspace.now().finding == toText(finding.fingerprint);
            const bool isProven = finding.confidence == detectors::Confidence::Proven;
            const QColor color = isProven ? theme.problem : theme.possible;
            painter.setPen(QPen(color, isChosen ? 3 : 1.4));
            painter.drawLine(QPointF(x, middle), QPointF(std::max(end, x), middle));
            painter.setBrush(isProven ? QBrush(color) : QBrush(theme.canvas));
            painter.drawPolygon(QPolygonF({QPointF(x, middle - 5), QPointF(x + 5, middle),
                                           QPointF(x, middle + 5), QPointF(x - 5, middle)}));
        }
    }
    for (const Bookmark& mark : m_workspace.sidecar().bookmarks()) {
        const double x = m_map.xOf(mark.timeNs);
        painter.setPen(QPen(theme.accent, 1.4));
        painter.setBrush(theme.accent);
        painter.drawPolygon(QPolygonF(
            {QPointF(x, area.top() + 2), QPointF(x + 8, area.top() + 5), QPointF(x, area.top() + 8)}));
        painter.drawLine(QPointF(x, area.top() + 2), QPointF(x, area.bottom()));
    }
    painter.restore();
}

void TimelineView::paintMinimap(QPainter& painter) {
    const Theme& theme = themeOf(*this);
    const QRect area = minimapArea();
    const double left = m_whole.xOf(m_map.shown().fromNs);
    const double right = std::max(m_whole.xOf(m_map.shown().toNs), left + 3);
    QColor shade = theme.canvas;
    shade.setAlpha(170);
    painter.fillRect(QRectF(area.left(), area.top(), left - area.left(), area.height()), shade);
    painter.fillRect(QRectF(right, area.top(), area.right() - right, area.height()), shade);
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(left, area.top() + 0.5, right - left, area.height() - 2));
}

void TimelineView::clearRulerBelow(QPainter& painter, const QRectF& plate) const {
    for (const std::int64_t at : m_map.ticks(kTickPixels)) {
        const QRectF word = rulerWord(at);
        if (word.intersects(plate.adjusted(-3, 0, 3, 0))) painter.fillRect(word, themeOf(*this).canvas);
    }
}

void TimelineView::paintOverlay(QPainter& painter) {
    if (m_lanes.empty()) return;
    const Theme& theme = themeOf(*this);
    const Selection& selection = m_workspace.now();
    const double top = phasesArea().bottom() + 1;
    const double bottom = marksArea().bottom();
    paintMarks(painter);
    const TimeRange range = m_draft.isEmpty() ? selection.range : m_draft;
    paintRange(painter, m_map, range, theme, top, bottom);
    if (m_hover && m_drag != Drag::Pan && m_hover->x() >= m_map.left()) {
        painter.setPen(QPen(theme.quietText, 1, Qt::DotLine));
        painter.drawLine(QPointF(m_hover->x(), top), QPointF(m_hover->x(), bottom));
    }
    if (selection.timeNs) {
        const double x = m_map.xOf(*selection.timeNs);
        if (x >= m_map.left() - 1 && x <= m_map.left() + m_map.width() + 1) {
            painter.setPen(QPen(theme.highlight, 1.5));
            painter.drawLine(QPointF(x, top), QPointF(x, bottom));
            const QString text =
                timeText(*selection.timeNs, std::max<std::int64_t>(m_map.tickNs(kTickPixels) / 100, 1));
            const double textWidth = fontMetrics().horizontalAdvance(text) + 8;
            const double left = std::clamp(x - textWidth / 2, m_map.left(),
                                           std::max(m_map.left() + m_map.width() - textWidth, m_map.left()));
            const QRectF plate(left, 0, textWidth, fontMetrics().height() + 3);
            clearRulerBelow(painter, plate);
            painter.fillRect(plate, theme.highlight);
            painter.setPen(theme.canvas);
            painter.drawText(plate, Qt::AlignCenter, text);
        }
    }
    for (std::size_t lane = 0; lane < m_lanes.size(); ++lane)
        paintTitle(painter, lane);
    paintMinimap(painter);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

}  // namespace vramscope::gui
