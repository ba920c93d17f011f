// SPDX-License-Identifier: Apache-2.0
// What TimelineView paints of what is known only in part: sums without buffers, folded devices, lost records.
#include "gui/views/timeline_losses.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/models/text.h"
#include "gui/views/timeline_picture.h"
#include "gui/views/timeline_view.h"

namespace vramscope::gui {
namespace {

constexpr double kStrip = 7;
/// The shortest loss is seen, too.
constexpr double kLeastWidth = 3;

}  // namespace

QRectF lossArea(const Preview::Gap& gap, const TimeMap& map, double top, double bottom) {
    const double from = map.xOf(gap.fromNs);
    const double to = std::max(map.xOf(gap.toNs), from + kLeastWidth);
    const double left = std::max(from, map.left());
    const double right = std::min(to, map.left() + map.width());
    if (right <= left || bottom <= top) return {};
    const double height = gap.touchesMemory ? bottom - top : std::min(kStrip, bottom - top);
    return {left, bottom - height, right - left, height};
}

void TimelineView::hatchLane(std::size_t number, const std::vector<GroupBytes>& columns) {
    const Theme& theme = themeOf(*this);
    const TimelineLane& lane = m_model.lanes()[number];
    // Where the driver's number is only told, hatching up to the top would drown the little that is live.
    const bool hasSum = lane.isReportedOfJob && !lane.reported.empty() && drawsReported(number);
    if (!hasSum && lane.spread.isEmpty()) return;
    const double ratio = devicePixelRatioF();
    const auto toPixel = [ratio](double value) { return static_cast<int>(std::lround(value * ratio)); };
    std::vector<HatchColumn> sums(hasSum ? columns.size() : 0);
    std::vector<HatchColumn> spread(lane.spread.isEmpty() ? 0 : columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::int64_t timeNs = m_map.timeAt(m_map.left() + (static_cast<double>(i) + 0.5) / ratio);
        if (hasSum) sums[i] = {columns[i].total, TimelineLane::readingAt(lane.reported, timeNs)};
        if (spread.empty()) continue;
        const DeviceSpread::Step step = lane.spread.at(timeNs);
        spread[i] = {step.leastBytes, step.mostBytes};
    }
    const LaneArea& area = m_lanes[number];
    const auto hatch = [&](const std::vector<HatchColumn>& parts, const QColor& color) {
        paintHatch(m_cache, toPixel(m_map.left()), toPixel(area.top), toPixel(area.bottom), parts,
                   area.fullBytes, color.rgb());
    };
    hatch(sums, theme.quietText);
    hatch(spread, theme.highlight);
}

QString TimelineView::gapText(const Preview::Gap& gap) const {
    if (gap.reason == "window")
        return tr("%1 launches and copies of this time were let go (--keep); memory is whole")
            .arg(countText(gap.eventCount));
    const QString known = gap.touchesMemory ? tr("allocations of this time may be missing")
                                            : tr("allocations and frees are whole");
    return tr("%1 records lost here (%2); %3").arg(countText(gap.eventCount), toText(gap.reason), known);
}

QString TimelineView::gapAt(const QPointF& point) const {
    const auto preview = m_workspace.session().preview();
    if (!preview || m_lanes.empty()) return {};
    QStringList texts;
    for (const Preview::Gap& gap : preview->gaps) {
        if (point.x() >= m_map.xOf(gap.fromNs) - 3 && point.x() <= m_map.xOf(gap.toNs) + 3)
            texts << gapText(gap);
    }
    return texts.join(QLatin1Char('\n'));
}

void TimelineView::paintGaps(QPainter& painter) {
    const auto preview = m_workspace.session().preview();
    if (!preview || m_lanes.empty()) return;
    const Theme& theme = themeOf(*this);
    painter.save();
    painter.setClipRect(QRectF(m_map.left(), m_lanes.front().top, m_map.width(),
                               m_lanes.back().bottom - m_lanes.front().top + 1));
    for (const Preview::Gap& gap : preview->gaps) {
        const QBrush brush(gap.touchesMemory ? theme.problem : theme.possible, Qt::BDiagPattern);
        for (const LaneArea& area : m_lanes)
            painter.fillRect(lossArea(gap, m_map, area.top, area.bottom), brush);
        const QRectF within = lossArea(gap, m_map, m_lanes.front().top, m_lanes.front().bottom);
        if (within.isEmpty()) continue;
        const QString text = gapText(gap);
        const double line = fontMetrics().height() + 2;
        const double wanted = fontMetrics().horizontalAdvance(text) + 8;
        if (within.width() < wanted) continue;
        const QRectF plate(within.left() + 2, within.bottom() - line - kStrip - 2, wanted, line);
        painter.fillRect(plate, theme.canvas);
        painter.setPen(gap.touchesMemory ? theme.problem : theme.possible);
        painter.drawText(plate, Qt::AlignCenter, text);
    }
    painter.restore();
}

}  // namespace vramscope::gui
