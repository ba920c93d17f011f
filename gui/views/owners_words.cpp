// SPDX-License-Identifier: Apache-2.0
// The words of OwnersView: what buffers are called and what the marks say, each where it covers nothing.
#include <QPainter>
#include <algorithm>

#include "gui/models/owner_text.h"
#include "gui/models/text.h"
#include "gui/views/owners_glyphs.h"
#include "gui/views/owners_view.h"
#include "gui/views/plate_room.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

using Kind = OwnerMark::Kind;

/// A name stands for what is called so if it covers at least half of it.
bool isNameOf(const OwnerMark& mark, const OwnerBox& box) {
    return mark.kind == Kind::Name && mark.sizeBytes * 2 >= box.bytes;
}

}  // namespace

QSizeF OwnersView::plateSize(const QString& text) const {
    const QFontMetricsF metrics(font());
    return {metrics.horizontalAdvance(text) + 8, metrics.height() + 2};
}

void OwnersView::paintFaultWords(QPainter& painter, PlateRoom& room) const {
    const Theme& theme = themeOf(*this);
    const model::Capture& facts = m_workspace.sources().stacks->facts();
    for (const PlacedMark& placed : m_chart->marks) {
        const OwnerMark& mark = placed.mark;
        if (!isFault(mark.kind) || !isInView(placed)) continue;
        QRectF area = bandRect(m_chart->boxes[placed.box].band);
        const QRectF whole = rectOf(placed);
        QString text;
        QPointF at;
        if (mark.kind == Kind::Overwrite) {
            text = tr("%1: %2").arg(toText(facts.taskName(mark.task)), toText(mark.what));
            at = overwriteArrow(placed).p1() + QPointF(10, 0);
            if (placed.through != placed.box) area = bandRect(m_chart->boxes[placed.through].band);
        } else if (mark.kind == Kind::AfterFree) {
            text = tr("used after its free");
            at = crossOf(placed) + QPointF(10, 0);
        } else {
            text = tr("%1 bytes behind its end changed").arg(countText(mark.sizeBytes));
            at = {whole.left() + 4, whole.top() - plateSize(text).height() / 2 - 4};
        }
        QSizeF size = plateSize(text);
        size.setWidth(std::min(size.width(), area.width()));
        const double left = at.x() - size.width() - 20;
        const double top = at.y() - size.height() / 2;
        const double below = std::max(whole.bottom() + 4, at.y() + size.height());
        const auto place = room.take(
            area, size,
            {{at.x(), top}, {left, top}, {at.x(), below}, {at.x(), area.top()}, {left, area.top()}});
        // A fault is told even where it covers something.
        const QRectF plate = place.value_or(
            QRectF({std::clamp(at.x(), area.left(), area.right() - size.width()),
                    std::clamp(top, area.top(), std::max(area.bottom() - size.height(), area.top()))},
                   size));
        paintPlate(painter, plate, text, theme.problem, theme.canvas);
    }
}

QString OwnersView::nameOf(std::size_t number) const {
    const OwnerBox& box = m_chart->boxes[number];
    QString text = toText(m_workspace.sources().store->nameOf(box.row));
    const auto at = std::ranges::find_if(m_chart->marks, [&](const PlacedMark& placed) {
        return placed.box == number && isNameOf(placed.mark, box);
    });
    if (at != m_chart->marks.end()) text += QStringLiteral(" \"%1\"").arg(toText(at->mark.what));
    return text + QStringLiteral("  ") + bytesText(box.bytes);
}

void OwnersView::paintName(QPainter& painter, PlateRoom& room, const QRectF& shown,
                           const QString& text) const {
    const double line = fontMetrics().height();
    if (shown.width() < kLeastLabel || shown.height() < line) return;
    const QRectF within = shown.adjusted(3, 0, -3, 0);
    QSizeF size = plateSize(text);
    size.setHeight(std::min(size.height(), shown.height()));
    const double top = std::min(shown.top() + 3, shown.bottom() - size.height());
    // Beside a fault it may have to be short.
    for (const double width : {std::min(size.width(), within.width()), kLeastLabel}) {
        size.setWidth(std::min(width, within.width()));
        const auto place = room.take(
            within, size, {{within.left(), top}, {within.left(), shown.bottom() - size.height() - 3}});
        const Theme& theme = themeOf(*this);
        if (place) return paintPlate(painter, *place, text, theme.text, theme.canvas);
    }
}

void OwnersView::paintNames(QPainter& painter, PlateRoom& room) const {
    for (std::size_t number = 0; number < m_chart->boxes.size(); ++number) {
        const OwnerBox& box = m_chart->boxes[number];
        const QRectF shown = rectOf(box).intersected(bandRect(box.band));
        if (shown.width() >= kLeastLabel) paintName(painter, room, shown, nameOf(number));
    }
    // Pieces have names of their own.
    for (const PlacedMark& placed : m_chart->marks) {
        const OwnerBox& box = m_chart->boxes[placed.box];
        if (placed.mark.kind != Kind::Name || isNameOf(placed.mark, box)) continue;
        paintName(painter, room, rectOf(placed).intersected(bandRect(box.band)),
                  QStringLiteral("%1  %2").arg(toText(placed.mark.what), bytesText(placed.mark.sizeBytes)));
    }
}

void OwnersView::paintHandOverWords(QPainter& painter, PlateRoom& room) const {
    const Theme& theme = themeOf(*this);
    const model::Capture& facts = m_workspace.sources().stacks->facts();
    for (const PlacedMark& placed : m_chart->marks) {
        const OwnerMark& mark = placed.mark;
        const bool isLoan = mark.kind == Kind::LendRead || mark.kind == Kind::LendWrite;
        if ((!isLoan && mark.kind != Kind::Give) || !isInView(placed)) continue;
        const QRectF area = bandRect(m_chart->boxes[placed.box].band);
        const QRectF whole = rectOf(placed);
        const QRectF shown = whole.intersected(area);
        if (isLoan && shown.width() < kLeastLabel) continue;
        const QString text = mark.kind == Kind::Give       ? tr("given to %1")
                             : mark.kind == Kind::LendRead ? tr("lent to %1 to read")
                                                           : tr("lent to %1 to write");
        const QString told =
            text.arg(mark.task.isNone() ? tr("every task") : toText(facts.taskName(mark.task)));
        const QSizeF size = plateSize(told);
        const double middle = whole.center().y() - size.height() / 2;
        const double left = shown.left() + 4;
        const double bottom = shown.bottom() - size.height() - 5;
        const auto place = isLoan ? room.take(area, size, {{left, bottom}, {left, middle}})
                                  : room.take(area, size, {{left, middle}, {left, bottom}});
        if (place) paintPlate(painter, *place, told, theme.text, theme.canvas);
    }
}

}  // namespace vramscope::gui
