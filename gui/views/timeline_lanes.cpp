// SPDX-License-Identifier: Apache-2.0
// The lanes of TimelineView: how high they reach, their lines and what the driver and pools say.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "gui/models/text.h"
#include "gui/views/theme.h"
#include "gui/views/timeline_view.h"

namespace vramscope::gui {
namespace {

constexpr int kGap = 4;
/// Room above the highest value of a lane.
constexpr double kHeadroom = 1.18;
/// Above this many times what was live the driver's number is told in words instead of drawn.
constexpr std::int64_t kMostFlattening = 6;

/// Bytes between two lines of a lane: a power of two with room for the words.
std::int64_t bytesBetweenTicks(std::int64_t fullBytes, int height, int line) {
    const std::int64_t most = std::max(height / (2 * line), 1);
    std::int64_t step = 1;
    while (fullBytes / step > most && step < (std::int64_t{1} << 60))
        step *= 2;
    return step;
}

}  // namespace

void TimelineView::layoutLanes() {
    m_lanes.clear();
    const double plotWidth = std::max(width() - plotLeft() - 8, 1);
    m_whole = TimeMap({0, m_model.endNs()}, plotLeft(), plotWidth, m_model.endNs());
    m_map = TimeMap(m_map.shown(), plotLeft(), plotWidth, m_model.endNs());
    const auto& lanes = m_model.lanes();
    const int top = phasesArea().bottom() + 1 + kGap;
    const int bottom = marksArea().top() - kGap;
    if (lanes.empty() || bottom <= top) return;
    const int each = (bottom - top) / static_cast<int>(lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        LaneArea area;
        area.top = top + static_cast<int>(i) * each;
        area.bottom = area.top + each - kGap;
        std::int64_t most = lanes[i].peakBytes;
        for (const Reading& reading : lanes[i].reserved)
            most = std::max(most, reading.bytes);
        for (const Reading& reading : lanes[i].reported)
            area.reportedBytes = std::max(area.reportedBytes, reading.bytes);
        // A context of hundreds of megabytes must not flatten the few that the program itself holds.
        area.hidesReported = most > 0 && area.reportedBytes / kMostFlattening > most;
        if (!area.hidesReported) most = std::max(most, area.reportedBytes);
        if (m_showsCapacity) most = std::max(most, lanes[i].capacityBytes);
        area.fullBytes =
            std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(most) * kHeadroom), 1);
        m_lanes.push_back(area);
    }
}

double TimelineView::yOf(const LaneArea& area, std::int64_t bytes) const {
    return area.bottom -
           static_cast<double>(bytes) / static_cast<double>(area.fullBytes) * (area.bottom - area.top);
}

void TimelineView::paintGrid(QPainter& painter) {
    painter.setPen(themeOf(*this).grid);
    const int line = fontMetrics().height();
    for (const std::int64_t at : m_map.ticks(kTickPixels)) {
        const double x = m_map.xOf(at);
        painter.drawLine(QPointF(x, line + 3), QPointF(x, marksArea().bottom()));
    }
    for (const LaneArea& area : m_lanes) {
        const std::int64_t step = bytesBetweenTicks(area.fullBytes, area.bottom - area.top, line);
        for (std::int64_t bytes = step; bytes < area.fullBytes; bytes += step)
            painter.drawLine(QPointF(m_map.left(), yOf(area, bytes)),
                             QPointF(m_map.left() + m_map.width(), yOf(area, bytes)));
    }
}

void TimelineView::paintReadings(QPainter& painter, const LaneArea& area,
                                 const std::vector<Reading>& readings, const QPen& pen) {
    if (readings.empty()) return;
    QPainterPath path;
    bool isBegun = false;
    double lastX = -1;
    double y = 0;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const double x = m_map.xOf(readings[i].timeNs);
        if (i + 1 < readings.size() && m_map.xOf(readings[i + 1].timeNs) < m_map.left()) continue;
        if (x > m_map.left() + m_map.width()) break;
        // Thousands of samples on one pixel are one sample.
        if (isBegun && x - lastX < 0.5) continue;
        const double nextY = yOf(area, readings[i].bytes);
        const double from = std::max(x, m_map.left());
        if (isBegun) path.lineTo(from, y);
        isBegun ? path.lineTo(from, nextY) : path.moveTo(from, nextY);
        isBegun = true;
        lastX = x;
        y = nextY;
    }
    if (!isBegun) return;
    path.lineTo(m_map.left() + m_map.width(), y);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
}

void TimelineView::paintLane(QPainter& painter, std::size_t lane) {
    const Theme& theme = themeOf(*this);
    const LaneArea& area = m_lanes[lane];
    const TimelineLane& shown = m_model.lanes()[lane];
    painter.save();
    painter.setClipRect(QRectF(m_map.left(), area.top, m_map.width(), area.bottom - area.top + 1));
    paintReadings(painter, area, shown.reserved, QPen(theme.reserved, 1.2, Qt::DashLine));
    if (drawsReported(lane))
        paintReadings(painter, area, shown.reported, QPen(theme.reported, 1.2, Qt::DotLine));
    if (m_showsCapacity && shown.capacityBytes > 0) {
        painter.setPen(QPen(theme.capacity, 1.2, Qt::DashDotLine));
        const double y = yOf(area, shown.capacityBytes);
        painter.drawLine(QPointF(m_map.left(), y), QPointF(m_map.left() + m_map.width(), y));
    }
    painter.restore();
    painter.setPen(theme.canvasEdge);
    painter.drawLine(QPointF(m_map.left(), area.bottom), QPointF(m_map.left() + m_map.width(), area.bottom));
    painter.drawLine(QPointF(m_map.left(), area.top), QPointF(m_map.left(), area.bottom));
    painter.setPen(theme.quietText);
    const int line = fontMetrics().height();
    const QRect gutter(2, area.top, static_cast<int>(m_map.left()) - 8, area.bottom - area.top);
    const std::int64_t step = bytesBetweenTicks(area.fullBytes, area.bottom - area.top, line);
    for (std::int64_t bytes = 0; bytes < area.fullBytes; bytes += step) {
        const auto y = static_cast<int>(yOf(area, bytes));
        painter.drawText(QRect(gutter.left(), y - line / 2, gutter.width(), line),
                         Qt::AlignRight | Qt::AlignVCenter,
                         bytes == 0 ? QStringLiteral("0") : bytesText(bytes));
    }
}

void TimelineView::paintTitle(QPainter& painter, std::size_t lane) const {
    const Theme& theme = themeOf(*this);
    const LaneArea& area = m_lanes[lane];
    const TimelineLane& shown = m_model.lanes()[lane];
    QString title = shown.title;
    if (shown.capacityBytes > 0) title += tr("   capacity %1").arg(bytesText(shown.capacityBytes));
    if (!drawsReported(lane))
        title += tr("   the driver reports up to %1, far above").arg(bytesText(area.reportedBytes));
    if (m_model.isCoarse()) title += tr("   (coarse, still reading)");
    const QRectF plate(m_map.left() + 4, area.top + 1, fontMetrics().horizontalAdvance(title) + 8,
                       fontMetrics().height() + 2);
    painter.fillRect(plate, theme.canvas);
    painter.setPen(theme.text);
    painter.drawText(plate, Qt::AlignCenter, title);
}

}  // namespace vramscope::gui
