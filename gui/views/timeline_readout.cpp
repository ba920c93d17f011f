// SPDX-License-Identifier: Apache-2.0
// What TimelineView says of a point.
#include <algorithm>
#include <cmath>

#include "gui/models/story.h"
#include "gui/models/text.h"
#include "gui/views/timeline_view.h"

namespace vramscope::gui {
const TimelineView::LaneArea* TimelineView::laneAt(const QPointF& point) const {
    const auto at = std::find_if(m_lanes.begin(), m_lanes.end(), [&](const LaneArea& area) {
        return point.y() >= area.top && point.y() <= area.bottom && point.x() >= m_map.left();
    });
    return at == m_lanes.end() ? nullptr : &*at;
}

QString TimelineView::markAt(const QPointF& point, std::optional<QString>& finding) const {
    if (!marksArea().adjusted(-6, 0, 6, 0).contains(point.toPoint())) return {};
    const BufferFilter::Sources& sources = m_workspace.sources();
    if (sources.analysis && sources.store) {
        for (const detectors::Finding& candidate : sources.analysis->findings) {
            if (!isProblem(candidate.findingClass)) continue;
            const std::optional<TimeRange> when = whenOf(candidate, *sources.store);
            if (!when || std::abs(m_map.xOf(when->fromNs) - point.x()) > 7) continue;
            finding = toText(candidate.fingerprint);
            return toText(candidate.rule) + QStringLiteral("  ") + toText(candidate.headline);
        }
    }
    for (const Bookmark& mark : m_workspace.sidecar().bookmarks()) {
        if (std::abs(m_map.xOf(mark.timeNs) - point.x()) <= 7) return mark.text;
    }
    return {};
}

QString TimelineView::readoutAt(const QPointF& point) const {
    std::optional<QString> finding;
    if (const QString mark = markAt(point, finding); !mark.isEmpty()) return mark;
    const LaneArea* area = laneAt(point);
    if (!area) return {};
    const TimelineLane& lane = m_model.lanes()[static_cast<std::size_t>(area - m_lanes.data())];
    const std::int64_t timeNs = m_map.timeAt(point.x());
    const GroupBytes live = lane.series.at(timeNs);
    QString text = tr("%1 live at %2")
                       .arg(bytesText(live.total),
                            timeText(timeNs, std::max<std::int64_t>(m_map.tickNs(kTickPixels) / 100, 1)));
    if (const std::int64_t reported = TimelineLane::readingAt(lane.reported, timeNs); reported >= 0) {
        text += tr(", the driver reports %1").arg(bytesText(reported));
        if (lane.isReportedOfJob && reported > live.total)
            text += tr(": %1 not accounted for by buffers").arg(bytesText(reported - live.total));
    }
    if (!lane.spread.isEmpty()) {
        const DeviceSpread::Step step = lane.spread.at(timeNs);
        text += tr("\nthe %1 devices have %2 to %3")
                    .arg(lane.folded.size())
                    .arg(bytesText(step.leastBytes), bytesText(step.mostBytes));
    }
    if (const QString gap = gapAt(point); !gap.isEmpty()) text += QLatin1Char('\n') + gap;
    for (std::size_t group = 0; group < static_cast<std::size_t>(lane.labels.size()); ++group) {
        if (live.bytes[group] > 0)
            text += QStringLiteral("\n%1  %2").arg(bytesText(live.bytes[group]), lane.labels[group]);
    }
    return text;
}

}  // namespace vramscope::gui
