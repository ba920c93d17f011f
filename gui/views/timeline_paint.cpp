// SPDX-License-Identifier: Apache-2.0
// What TimelineView paints. Where things lie follows from the size and the map alone.
#include <QElapsedTimer>
#include <QPaintEngine>
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/models/text.h"
#include "gui/views/timeline_picture.h"
#include "gui/views/timeline_view.h"

namespace vramscope::gui {
int TimelineView::plotLeft() const {
    return fontMetrics().horizontalAdvance(QStringLiteral("1023.9 MiB")) + 14;
}

QRect TimelineView::phasesArea() const {
    const int line = fontMetrics().height() + 4;
    const int height = m_model.phases().empty() ? 0 : line;
    return {plotLeft(), line, static_cast<int>(m_map.width()), height};
}

QRect TimelineView::minimapArea() const {
    const int height = 26;
    return {plotLeft(), this->height() - height - 3, static_cast<int>(m_map.width()), height};
}

QRect TimelineView::marksArea() const {
    const int line = fontMetrics().height() + 4;
    return {plotLeft(), minimapArea().top() - line - 2, static_cast<int>(m_map.width()), line};
}

void TimelineView::paintEvent(QPaintEvent*) {
    QElapsedTimer timer;
    timer.start();
    QPainter painter(this);
    // What is painted on is the window, or a file that somebody exports to.
    const bool isDrawing = painter.paintEngine()->type() == QPaintEngine::SVG;
    const double ratio = isDrawing ? 2.0 : painter.paintEngine()->paintDevice()->devicePixelRatioF();
    const QSize wanted = size() * ratio;
    if (isDrawing || m_isSpoiled || m_cache.size() != wanted) {
        if (m_cache.size() != wanted) m_cache = QImage(wanted, QImage::Format_RGB32);
        m_cache.setDevicePixelRatio(ratio);
        paintPixels();
        // Words in a drawing stay words.
        if (!isDrawing) {
            QPainter cache(&m_cache);
            cache.setFont(font());
            paintWords(cache);
        }
        m_isSpoiled = isDrawing;
    }
    painter.drawImage(0, 0, m_cache);
    if (isDrawing) paintWords(painter);
    paintOverlay(painter);
    m_lastPaintNs = timer.nsecsElapsed();
}

void TimelineView::paintPixels() {
    const Theme& theme = themeOf(*this);
    m_cache.fill(theme.canvas);
    const double ratio = m_cache.devicePixelRatio();
    const auto toPixel = [ratio](double value) { return static_cast<int>(std::lround(value * ratio)); };
    const int columnCount = toPixel(m_map.width());
    {
        QPainter grid(&m_cache);
        paintGrid(grid);
    }
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        const LiveSeries& series = m_model.lanes()[i].series;
        if (series.isEmpty()) continue;
        const std::vector<GroupBytes> columns = series.columns(m_map.shown(), columnCount);
        paintStack(m_cache, toPixel(m_map.left()), toPixel(m_lanes[i].top), toPixel(m_lanes[i].bottom),
                   columns, series.groupCount(), m_lanes[i].fullBytes, theme,
                   m_model.lanes()[i].foldedGroup());
        hatchLane(i, columns);
    }
    const QRect mini = minimapArea();
    if (!m_lanes.empty()) {
        const LiveSeries& series = m_model.lanes().front().series;
        paintStack(m_cache, toPixel(mini.left()), toPixel(mini.top()), toPixel(mini.bottom()),
                   series.columns(m_whole.shown(), columnCount), series.groupCount(),
                   m_lanes.front().fullBytes, theme);
    }
}

void TimelineView::paintWords(QPainter& painter) {
    const Theme& theme = themeOf(*this);
    if (m_lanes.empty()) return paintEmpty(painter);
    paintRuler(painter);
    paintPhases(painter);
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
        paintLane(painter, i);
    const QRect mini = minimapArea();
    paintGaps(painter);
    painter.setPen(theme.canvasEdge);
    painter.drawRect(mini.adjusted(0, 0, -1, -1));
    painter.setPen(theme.quietText);
    painter.drawText(QRect(2, mini.top(), mini.left() - 8, mini.height()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("whole run"));
}

void TimelineView::paintEmpty(QPainter& painter) {
    const Theme& theme = themeOf(*this);
    painter.setPen(theme.quietText);
    const QString text = m_workspace.session().isOpen() ? tr("Reading the capture ...")
                                                        : tr("Open a capture to see its memory over time.");
    painter.drawText(rect(), Qt::AlignCenter, text);
}

void TimelineView::paintRuler(QPainter& painter) {
    painter.setPen(themeOf(*this).quietText);
    for (const std::int64_t at : m_map.ticks(kTickPixels)) {
        painter.drawText(QPointF(rulerWord(at).left(), fontMetrics().ascent() + 1),
                         timeText(at, m_map.tickNs(kTickPixels)));
    }
}

QRectF TimelineView::rulerWord(std::int64_t timeNs) const {
    const double width = fontMetrics().horizontalAdvance(timeText(timeNs, m_map.tickNs(kTickPixels)));
    const double left = std::clamp(m_map.xOf(timeNs) - width / 2, m_map.left(),
                                   std::max(m_map.left() + m_map.width() - width, m_map.left()));
    return {left, 0, width, fontMetrics().height() + 2.0};
}

}  // namespace vramscope::gui
