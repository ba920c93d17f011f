// SPDX-License-Identifier: Apache-2.0
// What OwnersView paints. Where things lie follows from the chart, the size and the time shown.
#include <QPainter>
#include <algorithm>

#include "gui/models/text.h"
#include "gui/views/owners_view.h"
#include "gui/views/paint_range.h"
#include "gui/views/plate_room.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

constexpr double kTickPixels = 110;

}  // namespace

void OwnersView::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(*this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.canvas);
    if (!m_chart || !m_workspace.hasBuffers() || m_chart->bands.empty()) return;
    paintRuler(painter);
    painter.save();
    painter.setClipRect(plot());
    paintBoxes(painter);
    paintSpans(painter);
    paintOverlaps(painter);
    PlateRoom room;
    paintMarks(painter, room);
    paintFrames(painter);
    paintRange(painter, m_map, m_workspace.now().range, theme, plot().top(), plot().bottom());
    if (m_workspace.now().timeNs) {
        painter.setPen(QPen(theme.highlight, 1.5));
        const double x = m_map.xOf(*m_workspace.now().timeNs);
        painter.drawLine(QPointF(x, plot().top()), QPointF(x, plot().bottom()));
    }
    paintFaults(painter, room);
    // Words come last and keep clear of the faults, so that every one of them can be read.
    paintFaultWords(painter, room);
    paintNames(painter, room);
    paintHandOverWords(painter, room);
    painter.restore();
    for (std::size_t band = 0; band < m_chart->bands.size(); ++band)
        paintBand(painter, band);
    if (m_chart->hasRecord) paintLegend(painter);
}

void OwnersView::paintRuler(QPainter& painter) const {
    painter.setPen(themeOf(*this).quietText);
    const QRectF area = plot();
    for (const std::int64_t at : m_map.ticks(kTickPixels)) {
        const QString text = timeText(at, m_map.tickNs(kTickPixels));
        painter.drawText(
            QPointF(std::min(m_map.xOf(at), area.right() - fontMetrics().horizontalAdvance(text)),
                    fontMetrics().ascent() + 2),
            text);
    }
}

void OwnersView::paintBand(QPainter& painter, std::size_t band) const {
    const Theme& theme = themeOf(*this);
    const OwnerBand& stretch = m_chart->bands[band];
    const QRectF area = bandRect(band);
    const int line = fontMetrics().height();
    painter.setPen(theme.canvasEdge);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area);
    painter.setPen(theme.quietText);
    const auto address = [&](double y, std::uint64_t value) {
        painter.drawText(QRectF(2, y, area.left() - 8, line), Qt::AlignRight,
                         QStringLiteral("0x%1").arg(value, 0, 16));
    };
    address(area.top(), stretch.toAddress);
    if (area.height() > 2 * line) address(area.bottom() - line, stretch.fromAddress);
    if (stretch.isAlias)
        painter.drawText(QRectF(area.left(), area.top() - line - 3, area.width(), line + 2),
                         Qt::AlignLeft | Qt::AlignVCenter, tr("The same memory at another address"));
}

void OwnersView::paintBoxes(QPainter& painter) const {
    const Theme& theme = themeOf(*this);
    const BufferStore& store = *m_workspace.sources().store;
    const bool hasOwners = !m_chart->tasks.empty();
    for (const OwnerBox& box : m_chart->boxes) {
        const QRectF shown = rectOf(box).intersected(bandRect(box.band));
        if (shown.isEmpty()) continue;
        const auto group =
            (static_cast<std::uint32_t>(store.allocStack[box.row]) * 2654435761U >> 16U) % (kMostGroups - 1);
        // With owners their colours say whose it is; what nobody is known for stays pale.
        painter.fillRect(shown, hasOwners ? theme.hole : theme.groups[group]);
    }
}

void OwnersView::paintSpans(QPainter& painter) const {
    const Theme& theme = themeOf(*this);
    for (const PlacedSpan& placed : m_chart->spans) {
        const OwnerBox& box = m_chart->boxes[placed.box];
        const OwnedSpan& span = placed.span;
        const QRectF shown =
            rectOf(box.band, box.address + static_cast<std::uint64_t>(span.offset), span.sizeBytes, span.time)
                .intersected(bandRect(box.band));
        if (shown.isEmpty() || span.isHeap || span.task.isNone()) continue;
        fillGroup(painter, shown, theme, std::min(taskNumber(*m_chart, span.task), kMostGroups - 1));
        if (shown.width() <= 3 || shown.height() <= 3) continue;
        painter.setPen(QPen(theme.canvas, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(shown.adjusted(0, 0, -1, -1));
    }
}

void OwnersView::paintFrames(QPainter& painter) const {
    const Theme& theme = themeOf(*this);
    const BufferStore& store = *m_workspace.sources().store;
    painter.setBrush(Qt::NoBrush);
    for (const OwnerBox& box : m_chart->boxes) {
        const QRectF shown = rectOf(box).intersected(bandRect(box.band));
        if (shown.isEmpty()) continue;
        if (shown.width() > 3 && shown.height() > 3) {
            painter.setPen(theme.canvas);
            painter.drawRect(shown.adjusted(0, 0, -1, -1));
        }
        if (store.idOf(box.row) != m_workspace.now().buffer.value) continue;
        painter.setPen(QPen(theme.highlight, 2.5));
        painter.drawRect(shown.adjusted(1, 1, -1, -1));
    }
}

void OwnersView::paintOverlaps(QPainter& painter) const {
    const Theme& theme = themeOf(*this);
    for (const OwnerOverlap& overlap : m_chart->overlaps) {
        const QRectF shown = rectOf(0, overlap.address, overlap.bytes, overlap.time).intersected(bandRect(0));
        painter.fillRect(shown, QBrush(theme.highlight, Qt::DiagCrossPattern));
    }
}

}  // namespace vramscope::gui
