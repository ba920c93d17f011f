// SPDX-License-Identifier: Apache-2.0
// The phases above the lanes of TimelineView.
#include <QPainter>
#include <algorithm>

#include "gui/models/text.h"
#include "gui/views/theme.h"
#include "gui/views/timeline_view.h"

namespace vramscope::gui {
namespace {

/// Phases narrower than this are not drawn one by one.
constexpr double kLeastPhasePixels = 2;
/// Labels are written only where there is this much room.
constexpr double kLeastLabelPixels = 28;

}  // namespace

void TimelineView::paintPhases(QPainter& painter) {
    const QRect area = phasesArea();
    if (area.height() == 0) return;
    const Theme& theme = themeOf(*this);
    painter.save();
    painter.setClipRect(area);
    const auto& phases = m_model.phases();
    const double right = m_map.left() + m_map.width();
    for (std::size_t i = 0; i < phases.size();) {
        const model::Phase& phase = *phases[i];
        const double from = m_map.xOf(phase.startNs);
        if (from > right) break;
        const std::int64_t endNs =
            std::min(phase.endNs == model::kNever ? phase.startNs : phase.endNs, m_model.endNs());
        const double to = std::max(m_map.xOf(endNs), from + 1);
        if (to < m_map.left()) {
            ++i;
            continue;
        }
        if (to - from >= kLeastPhasePixels) {
            paintPhase(painter, QRectF(from, area.top() + 1, to - from - 1, area.height() - 3),
                       toText(phase.name), i);
            ++i;
            continue;
        }
        // Many narrow ones make one grey band: a line each would take seconds and say nothing.
        painter.fillRect(QRectF(from, area.top() + 3, 1, area.height() - 6), theme.quietText);
        const std::int64_t nextNs =
            phase.startNs + std::max<std::int64_t>(static_cast<std::int64_t>(m_map.nsPerPixel()), 1);
        const auto next = std::lower_bound(
            phases.begin() + static_cast<std::ptrdiff_t>(i) + 1, phases.end(), nextNs,
            [](const model::Phase* other, std::int64_t time) { return other->startNs < time; });
        i = static_cast<std::size_t>(next - phases.begin());
    }
    painter.restore();
    painter.setPen(theme.quietText);
    painter.drawText(QRect(2, area.top(), area.left() - 8, area.height()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("phases"));
}

void TimelineView::paintPhase(QPainter& painter, const QRectF& box, const QString& name, std::size_t number) {
    const Theme& theme = themeOf(*this);
    painter.fillRect(box, number % 2 ? theme.grid : theme.hole);
    painter.setPen(theme.canvasEdge);
    painter.drawRect(box);
    if (box.width() < kLeastLabelPixels) return;
    painter.setPen(theme.text);
    const QRectF inner = box.intersected(QRectF(phasesArea())).adjusted(3, 0, -2, 0);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(inner.width())));
}

}  // namespace vramscope::gui
