// SPDX-License-Identifier: Apache-2.0
// The marks of OwnersView: who owned, lent, touched and broke what, and the legend that tells them apart.
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <set>

#include "gui/models/owner_text.h"
#include "gui/models/text.h"
#include "gui/views/owners_glyphs.h"
#include "gui/views/owners_view.h"
#include "gui/views/plate_room.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

using Kind = OwnerMark::Kind;

/// So far around a cross nothing may stand.
constexpr double kCrossReach = 8;

}  // namespace

void OwnersView::paintMarks(QPainter& painter, PlateRoom& room) const {
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
        paintMark(painter, placed, room);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

bool OwnersView::isInView(const PlacedMark& placed) const {
    const OwnerBox& box = m_chart->boxes[placed.box];
    const OwnerBand& band = m_chart->bands[box.band];
    // Of a large neighbour only the bytes beside the chosen ones are shown.
    const std::uint64_t from = box.address + static_cast<std::uint64_t>(placed.mark.offset);
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(placed.mark.sizeBytes, 1));
    if (from >= band.toAddress || from + bytes <= band.fromAddress) return false;
    const QRectF area = bandRect(box.band);
    const QRectF whole = rectOf(placed);
    return whole.right() >= area.left() - 10 && whole.left() <= area.right() + 10;
}

void OwnersView::paintMark(QPainter& painter, const PlacedMark& placed, PlateRoom& room) const {
    if (!isInView(placed)) return;
    const Theme& theme = themeOf(*this);
    const OwnerMark& mark = placed.mark;
    const QRectF whole = rectOf(placed);
    const QRectF shown = whole.intersected(bandRect(m_chart->boxes[placed.box].band));
    painter.setBrush(Qt::NoBrush);
    switch (mark.kind) {
        case Kind::Give:
            painter.setPen(QPen(theme.highlight, 2.5));
            return painter.drawLine(whole.topLeft(), whole.bottomLeft());
        case Kind::LendRead:
        case Kind::LendWrite:
            painter.setPen(QPen(theme.highlight, 1.4, Qt::DashLine));
            return painter.drawRect(shown.adjusted(1, 4, -1, -4));
        case Kind::Read:
        case Kind::Write: {
            QColor line = theme.highlight;
            line.setAlpha(120);
            painter.setPen(QPen(line, 1));
            painter.drawLine(whole.topLeft(), whole.bottomLeft());
            const QPointF tip(whole.left(), std::max(whole.top() + 2 * kGlyph + 1, whole.center().y()));
            room.spare(QRectF(tip.x() - kGlyph, tip.y() - 2 * kGlyph, 2 * kGlyph, 2 * kGlyph));
            return paintTriangle(painter, tip, theme.highlight, mark.kind == Kind::Write, theme.canvas);
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
        default:
            return;
    }
}

void OwnersView::paintFaults(QPainter& painter, PlateRoom& room) const {
    painter.setRenderHint(QPainter::Antialiasing);
    for (const PlacedMark& placed : m_chart->marks) {
        if (isFault(placed.mark.kind) && isInView(placed)) paintFault(painter, placed, room);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

QPointF OwnersView::crossOf(const PlacedMark& placed) const {
    const QRectF area = bandRect(m_chart->boxes[placed.box].band);
    const QRectF whole = rectOf(placed);
    const double x = placed.mark.kind == Kind::AfterFree ? whole.right() : whole.left();
    // At the very edge half of it would be cut off.
    const double most = std::max(area.bottom() - kCrossReach, area.center().y());
    return {x, std::clamp(whole.center().y(), std::min(area.top() + kCrossReach, most), most)};
}

void OwnersView::paintFault(QPainter& painter, const PlacedMark& placed, PlateRoom& room) const {
    const Theme& theme = themeOf(*this);
    const QRectF whole = rectOf(placed);
    const QRectF shown = whole.intersected(bandRect(m_chart->boxes[placed.box].band));
    painter.setBrush(Qt::NoBrush);
    if (placed.mark.kind == Kind::GuardHit) {
        painter.fillRect(shown, theme.canvas);
        painter.fillRect(shown, QBrush(theme.problem, Qt::BDiagPattern));
        painter.setPen(QPen(theme.problem, 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(shown);
        return shown.height() < 2 * fontMetrics().height() ? room.keep(shown) : room.spare(shown);
    }
    if (placed.mark.kind == Kind::AfterFree) {
        painter.setPen(QPen(theme.problem, 1.8, Qt::DashLine));
        painter.drawRect(whole.adjusted(0, 2, 0, -2));
        room.spare(shown);
    } else {
        painter.setPen(QPen(theme.canvas, 6));
        painter.drawLine(whole.topLeft(), whole.bottomLeft());
        painter.setPen(QPen(theme.problem, 3.2));
        painter.drawLine(whole.topLeft(), whole.bottomLeft());
        const QLineF way = overwriteArrow(placed);
        painter.save();
        painter.setClipRect(plot());
        paintArrow(painter, way.p1(), way.p2(), theme.problem);
        painter.restore();
        room.keep(QRectF(way.p1(), way.p2()).normalized().adjusted(-4, 0, 4, 0));
    }
    const QPointF cross = crossOf(placed);
    paintCross(painter, cross, theme.problem, theme.canvas);
    room.keep({cross.x() - kCrossReach, cross.y() - kCrossReach, 2 * kCrossReach, 2 * kCrossReach});
}

QLineF OwnersView::overwriteArrow(const PlacedMark& placed) const {
    const QPointF cross = crossOf(placed);
    if (placed.through != placed.box) {
        // From the mapping that was written through to the bytes that the owner sees.
        const QRectF bytes = rectOf(placed);
        const OwnerBox& through = m_chart->boxes[placed.through];
        const QRectF from =
            rectOf(through.band, through.address + static_cast<std::uint64_t>(placed.mark.offset),
                   placed.mark.sizeBytes, placed.mark.time);
        return {{cross.x(), from.center().y()},
                {cross.x(), from.center().y() < bytes.center().y() ? bytes.top() + 9 : bytes.bottom() - 9}};
    }
    // The writer has no place of its own in this memory: its name stands beside the bytes.
    const QRectF area = bandRect(m_chart->boxes[placed.box].band);
    const double line = fontMetrics().height() + 2;
    const double from = cross.y() - area.top() > 3 * line ? cross.y() - 2 * line : cross.y() + 2 * line;
    return {{cross.x(), from}, {cross.x(), cross.y() + (from < cross.y() ? -7 : 7)}};
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
