// SPDX-License-Identifier: Apache-2.0
// What OwnersView paints. Where things lie follows from the chart, the size and the time shown.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <set>

#include "gui/models/owner_text.h"
#include "gui/models/text.h"
#include "gui/views/owners_view.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

using Kind = OwnerMark::Kind;

constexpr double kLeastLabel = 60;
constexpr double kTickPixels = 110;
constexpr double kGlyph = 3.5;

/// A triangle that points down: filled for a write, hollow for a read.
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

QColor readableOn(const QColor& color) {
    return qGray(color.rgb()) > 140 ? QColor(0x111111) : QColor(0xffffff);
}

/// Words on a plate that keeps them readable whatever lies below.
void paintPlate(QPainter& painter, const QRectF& within, const QPointF& at, const QString& text,
                const QColor& ink, const QColor& back) {
    const QFontMetricsF metrics(painter.font());
    const double width = std::min(metrics.horizontalAdvance(text) + 8, within.width());
    const double height = metrics.height() + 2;
    const QRectF plate(std::clamp(at.x(), within.left(), within.right() - width),
                       std::clamp(at.y(), within.top(), std::max(within.bottom() - height, within.top())),
                       width, height);
    painter.fillRect(plate, back);
    painter.setPen(ink);
    painter.drawText(plate, Qt::AlignCenter, metrics.elidedText(text, Qt::ElideMiddle, width - 4));
}

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
    paintMarks(painter);
    paintLabels(painter);
    paintFaults(painter);
    if (m_workspace.now().timeNs) {
        painter.setPen(QPen(theme.highlight, 1.5));
        const double x = m_map.xOf(*m_workspace.now().timeNs);
        painter.drawLine(QPointF(x, plot().top()), QPointF(x, plot().bottom()));
    }
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

QString OwnersView::nameOf(std::size_t number) const {
    const OwnerBox& box = m_chart->boxes[number];
    QString text = toText(m_workspace.sources().store->nameOf(box.row));
    const auto at = std::find_if(m_chart->marks.begin(), m_chart->marks.end(), [&](const PlacedMark& placed) {
        return placed.box == number && placed.mark.kind == Kind::Name &&
               placed.mark.sizeBytes * 2 >= box.bytes;
    });
    if (at != m_chart->marks.end()) text += QStringLiteral(" \"%1\"").arg(toText(at->mark.what));
    return text + QStringLiteral("  ") + bytesText(box.bytes);
}

void OwnersView::paintLabels(QPainter& painter) const {
    const Theme& theme = themeOf(*this);
    const BufferStore& store = *m_workspace.sources().store;
    const bool hasOwners = !m_chart->tasks.empty();
    for (std::size_t number = 0; number < m_chart->boxes.size(); ++number) {
        const OwnerBox& box = m_chart->boxes[number];
        const QRectF shown = rectOf(box).intersected(bandRect(box.band));
        if (shown.isEmpty()) continue;
        if (shown.width() > 3 && shown.height() > 3) {
            painter.setPen(theme.canvas);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(shown.adjusted(0, 0, -1, -1));
        }
        if (shown.width() >= kLeastLabel && shown.height() >= fontMetrics().height()) {
            const int room = static_cast<int>(shown.width()) - 7;
            const QString text = fontMetrics().elidedText(nameOf(number), Qt::ElideRight, room);
            if (hasOwners) {
                paintPlate(painter, shown, shown.topLeft() + QPointF(3, 3), text, theme.text, theme.canvas);
            } else {
                const auto group =
                    (static_cast<std::uint32_t>(store.allocStack[box.row]) * 2654435761U >> 16U) %
                    (kMostGroups - 1);
                painter.setPen(readableOn(theme.groups[group]));
                painter.drawText(shown.adjusted(4, 0, -3, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
            }
        }
        if (store.idOf(box.row) != m_workspace.now().buffer.value) continue;
        painter.setPen(QPen(theme.highlight, 2.5));
        painter.setBrush(Qt::NoBrush);
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

void OwnersView::paintMarks(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    // Thousands of calls on one pixel are one line.
    double lastX = -1;
    Kind lastKind = Kind::Name;
    std::size_t lastBox = 0;
    for (const PlacedMark& placed : m_chart->marks) {
        if (placed.mark.kind == Kind::Name || isFault(placed.mark.kind)) continue;
        const double x = std::round(m_map.xOf(placed.mark.time.fromNs));
        if (x == lastX && placed.mark.kind == lastKind && placed.box == lastBox) continue;
        lastX = x;
        lastKind = placed.mark.kind;
        lastBox = placed.box;
        paintMark(painter, placed);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void OwnersView::paintFaults(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    for (const PlacedMark& placed : m_chart->marks) {
        if (isFault(placed.mark.kind)) paintMark(painter, placed);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void OwnersView::paintMark(QPainter& painter, const PlacedMark& placed) const {
    const Theme& theme = themeOf(*this);
    const OwnerMark& mark = placed.mark;
    const QRectF area = bandRect(m_chart->boxes[placed.box].band);
    const QRectF whole = rectOf(placed);
    if (whole.right() < area.left() - 10 || whole.left() > area.right() + 10) return;
    const QRectF shown = whole.intersected(area);
    const model::Capture& facts = m_workspace.sources().stacks->facts();
    const QString task = mark.task.isNone() ? tr("every task") : toText(facts.taskName(mark.task));
    switch (mark.kind) {
        case Kind::Name:
            return;
        case Kind::Give:
            painter.setPen(QPen(theme.highlight, 2.5));
            painter.drawLine(whole.topLeft(), whole.bottomLeft());
            return paintPlate(painter, shown.adjusted(0, 0, 2000, 0).intersected(area),
                              {whole.left() + 3, whole.center().y() - fontMetrics().height() / 2.0},
                              tr("given to %1").arg(task), theme.text, theme.canvas);
        case Kind::LendRead:
        case Kind::LendWrite: {
            painter.setPen(QPen(theme.highlight, 1.4, Qt::DashLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(shown.adjusted(1, 4, -1, -4));
            if (shown.width() < kLeastLabel) return;
            const QString text =
                mark.kind == Kind::LendRead ? tr("lent to %1 to read") : tr("lent to %1 to write");
            return paintPlate(painter, area, {shown.left() + 4, shown.bottom() - fontMetrics().height() - 7},
                              text.arg(task), theme.text, theme.canvas);
        }
        case Kind::Read:
        case Kind::Write: {
            QColor line = theme.highlight;
            line.setAlpha(120);
            painter.setPen(QPen(line, 1));
            painter.drawLine(whole.topLeft(), whole.bottomLeft());
            return paintTriangle(painter,
                                 {whole.left(), std::max(whole.top() + 2 * kGlyph + 1, whole.center().y())},
                                 theme.highlight, mark.kind == Kind::Write, theme.canvas);
        }
        case Kind::Pointer: {
            painter.setPen(QPen(theme.highlight, 1, Qt::DotLine));
            painter.drawLine(whole.topLeft(), whole.bottomLeft());
            if (mark.callCount > 1 && whole.width() > 4 && whole.height() > 2 * fontMetrics().height()) {
                const double y = whole.bottom() - 4;
                painter.drawLine(QPointF(whole.left(), y), QPointF(whole.right(), y));
            }
            return;
        }
        case Kind::AfterFree:
            painter.setPen(QPen(theme.problem, 1.8, Qt::DashLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(whole.adjusted(0, 2, 0, -2));
            paintCross(painter, {whole.right(), whole.center().y()}, theme.problem, theme.canvas);
            return paintPlate(painter, area,
                              {whole.right() + 8, whole.center().y() - fontMetrics().height() / 2.0},
                              tr("used after its free"), theme.problem, theme.canvas);
        case Kind::GuardHit:
            painter.fillRect(shown, theme.canvas);
            painter.fillRect(shown, QBrush(theme.problem, Qt::BDiagPattern));
            painter.setPen(QPen(theme.problem, 1.6));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(shown);
            return paintPlate(painter, area, {shown.left() + 4, shown.bottom() + 4},
                              tr("%1 bytes behind its end changed").arg(countText(mark.sizeBytes)),
                              theme.problem, theme.canvas);
        case Kind::Overwrite:
            return paintOverwrite(painter, placed);
    }
}

void OwnersView::paintOverwrite(QPainter& painter, const PlacedMark& placed) const {
    const Theme& theme = themeOf(*this);
    const OwnerBox& victim = m_chart->boxes[placed.box];
    const QRectF area = bandRect(victim.band);
    const QRectF bytes = rectOf(placed);
    const double x = bytes.left();
    painter.setPen(QPen(theme.canvas, 6));
    painter.drawLine(bytes.topLeft(), bytes.bottomLeft());
    painter.setPen(QPen(theme.problem, 3.2));
    painter.drawLine(bytes.topLeft(), bytes.bottomLeft());
    const model::Capture& facts = m_workspace.sources().stacks->facts();
    const QString writer =
        tr("%1: %2").arg(toText(facts.taskName(placed.mark.task)), toText(placed.mark.what));
    const double line = fontMetrics().height() + 2;
    if (placed.through != placed.box) {
        // From the mapping that was written through to the bytes that the owner sees.
        const OwnerBox& through = m_chart->boxes[placed.through];
        const QRectF from =
            rectOf(through.band, through.address + static_cast<std::uint64_t>(placed.mark.offset),
                   placed.mark.sizeBytes, placed.mark.time);
        painter.save();
        painter.setClipRect(plot());
        paintArrow(painter, {x, from.center().y()},
                   {x, from.center().y() < bytes.center().y() ? bytes.top() + 9 : bytes.bottom() - 9},
                   theme.problem);
        painter.restore();
        paintCross(painter, {x, bytes.center().y()}, theme.problem, theme.canvas);
        return paintPlate(painter, bandRect(through.band), {x + 9, from.center().y() - line / 2}, writer,
                          theme.problem, theme.canvas);
    }
    // The writer has no place of its own in this memory: its name stands beside the bytes.
    const double middle = bytes.center().y();
    const double from = middle - area.top() > 3 * line ? middle - 2 * line : middle + 2 * line;
    paintArrow(painter, {x, from}, {x, middle + (from < middle ? -7 : 7)}, theme.problem);
    paintCross(painter, {x, middle}, theme.problem, theme.canvas);
    paintPlate(painter, area, {x + 10, from - line / 2}, writer, theme.problem, theme.canvas);
}

void OwnersView::paintLegend(QPainter& painter) const {
    const Theme& theme = themeOf(*this);
    const double line = fontMetrics().height();
    const double y = height() - line - 6;
    double x = plot().left();
    const model::Capture& facts = m_workspace.sources().stacks->facts();
    const auto word = [&](const QString& text) {
        painter.setPen(theme.text);
        painter.drawText(QPointF(x, y + fontMetrics().ascent()), text);
        x += fontMetrics().horizontalAdvance(text) + 16;
    };
    for (std::size_t task = 0; task < m_chart->tasks.size(); ++task) {
        fillGroup(painter, QRectF(x, y + 1, 14, line - 3), theme, std::min(task, kMostGroups - 1));
        x += 19;
        word(toText(facts.taskName(m_chart->tasks[task])));
    }
    std::set<Kind> kinds;
    for (const PlacedMark& placed : m_chart->marks)
        kinds.insert(placed.mark.kind);
    painter.setRenderHint(QPainter::Antialiasing);
    const double middle = y + line / 2;
    for (const Kind kind : {Kind::Write, Kind::Read, Kind::Pointer}) {
        if (!kinds.contains(kind)) continue;
        if (kind == Kind::Pointer) {
            painter.setPen(QPen(theme.highlight, 1, Qt::DotLine));
            painter.drawLine(QPointF(x + 4, y), QPointF(x + 4, y + line));
        } else {
            paintTriangle(painter, {x + 4, middle + kGlyph}, theme.highlight, kind == Kind::Write,
                          theme.canvas);
        }
        x += 13;
        word(meaningOf(kind));
    }
    if (!m_chart->overlaps.empty()) {
        painter.fillRect(QRectF(x, y + 1, 14, line - 3), QBrush(theme.highlight, Qt::DiagCrossPattern));
        x += 19;
        word(tr("held by two at once"));
    }
    for (const Kind kind : {Kind::Overwrite, Kind::AfterFree, Kind::GuardHit}) {
        if (!kinds.contains(kind)) continue;
        paintCross(painter, {x + 5, middle}, theme.problem, theme.canvas);
        x += 15;
        word(meaningOf(kind));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace vramscope::gui
