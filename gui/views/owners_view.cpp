// SPDX-License-Identifier: Apache-2.0
#include "gui/views/owners_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/models/owner_text.h"
#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

/// So far from a mark it is still meant.
constexpr double kReach = 5;
/// The chosen bytes get this share of the height where aliases are shown, too.
constexpr double kFirstShare = 0.55;
/// A life that would be narrower than this part of the picture is shown with its surroundings only.
constexpr std::int64_t kMostShrinking = 12;

}  // namespace

OwnersView::OwnersView(Workspace& workspace, QWidget* parent) : QWidget(parent), m_workspace(workspace) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Owners of an address over time"));
    setAccessibleDescription(
        tr("Comma and full stop go to the buffer before and after; arrows move, W and S zoom."));
    connect(&workspace.selection(), &SharedSelection::changed, this, qOverload<>(&QWidget::update));
}

QRectF OwnersView::plot() const {
    const double left = fontMetrics().horizontalAdvance(QStringLiteral("0x7f0000000000")) + 14;
    const double line = fontMetrics().height();
    const double legend = m_chart && m_chart->hasRecord ? line + 8 : 0;
    return {left, line + 6.0, std::max(width() - left - 10.0, 1.0),
            std::max(height() - line - 16.0 - legend, 1.0)};
}

QRectF OwnersView::bandRect(std::size_t band) const {
    const QRectF area = plot();
    const std::size_t count = m_chart ? m_chart->bands.size() : 1;
    if (count <= 1) return area;
    // Each alias has a line above it that says what it is.
    const double title = fontMetrics().height() + 6;
    const double firstHeight = area.height() * kFirstShare;
    if (band == 0) return {area.left(), area.top(), area.width(), firstHeight};
    const double each = (area.height() - firstHeight) / static_cast<double>(count - 1);
    const double top = area.top() + firstHeight + each * static_cast<double>(band - 1) + title;
    return {area.left(), top, area.width(), std::max(each - title, 1.0)};
}

void OwnersView::mapTime(const TimeRange& shown) {
    m_map = TimeMap(shown, plot().left(), plot().width(), m_workspace.session().endNs());
}

void OwnersView::setChart(std::shared_ptr<const OwnerChart> chart, bool keepsTime) {
    m_chart = std::move(chart);
    const std::int64_t endNs = m_workspace.session().endNs();
    TimeRange lives{endNs, 0};
    if (m_chart) {
        const auto include = [&](const TimeRange& time) {
            lives = {std::min(lives.fromNs, time.fromNs), std::max(lives.toNs, time.toNs)};
        };
        for (const OwnerBox& box : m_chart->boxes)
            include(box.life);
        for (const PlacedMark& placed : m_chart->marks)
            include(placed.mark.time);
    }
    if (lives.isEmpty()) lives = {0, endNs};
    const std::int64_t margin = lives.lengthNs() / 30;
    m_lives = {lives.fromNs - margin, lives.toNs + margin};
    mapTime(keepsTime ? m_map.shown() : firstShown());
    update();
}

bool OwnersView::hidesLives() const {
    return m_chart && std::ranges::any_of(m_chart->boxes, [&](const OwnerBox& box) {
               return box.life.toNs < m_map.shown().fromNs || box.life.fromNs > m_map.shown().toNs;
           });
}

TimeRange OwnersView::firstShown() const {
    if (!m_chart || !m_workspace.hasBuffers()) return m_lives;
    const Row chosen = m_workspace.sources().store->rowOf(m_workspace.now().buffer);
    const auto box = std::ranges::find(m_chart->boxes, chosen, &OwnerBox::row);
    if (box == m_chart->boxes.end()) return m_lives;
    TimeRange time = box->life;
    // What was done to it after its end belongs to it.
    for (const PlacedMark& placed : m_chart->marks) {
        if (m_chart->boxes[placed.box].row == chosen && isFault(placed.mark.kind))
            time = {std::min(time.fromNs, placed.mark.time.fromNs),
                    std::max(time.toNs, placed.mark.time.toNs)};
    }
    if (time.lengthNs() >= m_lives.lengthNs() / kMostShrinking) return m_lives;
    return {time.fromNs - time.lengthNs(), time.toNs + time.lengthNs()};
}

void OwnersView::resizeEvent(QResizeEvent*) {
    mapTime(m_map.shown());
}

double OwnersView::yOf(std::size_t band, std::uint64_t address) const {
    const OwnerBand& stretch = m_chart->bands[band];
    const QRectF area = bandRect(band);
    const auto range = static_cast<double>(stretch.toAddress - stretch.fromAddress);
    const double offset = static_cast<double>(address) - static_cast<double>(stretch.fromAddress);
    return area.bottom() - std::clamp(offset / std::max(range, 1.0), 0.0, 1.0) * area.height();
}

QRectF OwnersView::rectOf(std::size_t band, std::uint64_t address, std::int64_t bytes,
                          const TimeRange& time) const {
    const double left = m_map.xOf(time.fromNs);
    const double right = m_map.xOf(time.toNs);
    const double top = yOf(band, address + static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)));
    return {left, top, std::max(right - left, 1.0), std::max(yOf(band, address) - top, 2.0)};
}

QRectF OwnersView::rectOf(const OwnerBox& box) const {
    return rectOf(box.band, box.address, box.bytes, box.life);
}

QRectF OwnersView::rectOf(const PlacedMark& placed) const {
    const OwnerBox& box = m_chart->boxes[placed.box];
    QRectF rect = rectOf(box.band, box.address + static_cast<std::uint64_t>(placed.mark.offset),
                         placed.mark.sizeBytes, placed.mark.time);
    // A few bytes behind a large buffer would be no pixel.
    constexpr double kLeastGuard = 7;
    if (placed.mark.kind == OwnerMark::Kind::GuardHit && rect.height() < kLeastGuard)
        rect.setTop(std::max(rect.bottom() - kLeastGuard, bandRect(box.band).top()));
    if (placed.mark.kind == OwnerMark::Kind::GuardHit && rect.height() < kLeastGuard)
        rect.setHeight(kLeastGuard);
    return rect;
}

const OwnerBox* OwnersView::boxAt(const QPointF& point) const {
    if (!m_chart) return nullptr;
    const auto at = std::find_if(m_chart->boxes.rbegin(), m_chart->boxes.rend(),
                                 [&](const OwnerBox& box) { return rectOf(box).contains(point); });
    return at == m_chart->boxes.rend() ? nullptr : &*at;
}

const PlacedMark* OwnersView::markAt(const QPointF& point) const {
    if (!m_chart) return nullptr;
    const PlacedMark* best = nullptr;
    double bestDistance = kReach;
    for (const PlacedMark& placed : m_chart->marks) {
        using Kind = OwnerMark::Kind;
        const Kind kind = placed.mark.kind;
        if (kind == Kind::Name || !isInView(placed)) continue;
        const QRectF rect = rectOf(placed);
        if (point.y() < rect.top() - kReach || point.y() > rect.bottom() + kReach) continue;
        const bool isArea = kind == Kind::GuardHit || kind == Kind::AfterFree;
        const double at = kind == Kind::AfterFree ? rect.right() : rect.left();
        const double distance = isArea && rect.contains(point) ? 0 : std::abs(at - point.x());
        const bool isBetter = best == nullptr || isFault(kind) > isFault(best->mark.kind) ||
                              (isFault(kind) == isFault(best->mark.kind) && distance < bestDistance);
        if (distance > kReach || !isBetter) continue;
        best = &placed;
        bestDistance = distance;
    }
    return best;
}

model::BufferId OwnersView::bufferAt(const QPointF& point) const {
    const OwnerBox* box = boxAt(point);
    return box ? model::BufferId{m_workspace.sources().store->idOf(box->row)} : model::BufferId();
}

QString OwnersView::readoutAt(const QPointF& point) const {
    QStringList lines;
    const model::Capture& facts = m_workspace.sources().stacks->facts();
    if (const PlacedMark* placed = markAt(point)) {
        lines << sentenceOf(placed->mark, facts);
        if (!placed->mark.stack.isNone())
            lines << toText(m_workspace.sources().stacks->placeOf(placed->mark.stack.value));
    }
    if (const OwnerBox* box = boxAt(point)) {
        const BufferStore& store = *m_workspace.sources().store;
        lines << QStringLiteral("%1  %2").arg(toText(store.nameOf(box->row)), exactBytesText(box->bytes))
              << toText(m_workspace.sources().stacks->placeOf(store.allocStack[box->row]))
              << QStringLiteral("%1 .. %2").arg(timeText(box->life.fromNs), timeText(box->life.toNs));
    }
    return lines.join(QLatin1Char('\n'));
}

bool OwnersView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = m_workspace.hasBuffers() ? readoutAt(help->pos()) : QString();
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), text, this);
    return true;
}

void OwnersView::choose(const OwnerBox& box) {
    const BufferStore& store = *m_workspace.sources().store;
    m_workspace.selection().change([&](Selection& selection) {
        selection.buffer = {store.idOf(box.row)};
        selection.stack = store.allocStackOf(box.row);
    });
}

void OwnersView::mousePressEvent(QMouseEvent* event) {
    const PlacedMark* placed = markAt(event->position());
    if (placed == nullptr) {
        if (const OwnerBox* box = boxAt(event->position())) choose(*box);
        return;
    }
    const OwnerMark mark = placed->mark;
    m_workspace.selection().change([&](Selection& selection) {
        selection.timeNs = mark.kind == OwnerMark::Kind::AfterFree ? mark.time.toNs : mark.time.fromNs;
        selection.buffer = mark.buffer;
        if (!mark.stack.isNone()) selection.stack = mark.stack;
    });
}

void OwnersView::wheelEvent(QWheelEvent* event) {
    const double turns = event->angleDelta().y() / 120.0;
    m_map = (event->modifiers() & Qt::ControlModifier)
                ? m_map.zoomed(std::pow(0.85, turns), event->position().x())
                : m_map.panned(-turns * m_map.width() / 10);
    event->accept();
    update();
}

void OwnersView::keyPressEvent(QKeyEvent* event) {
    const double middle = m_map.left() + m_map.width() / 2;
    switch (event->key()) {
        case Qt::Key_W:
            m_map = m_map.zoomed(0.6, middle);
            return update();
        case Qt::Key_S:
            m_map = m_map.zoomed(1 / 0.6, middle);
            return update();
        case Qt::Key_A:
            m_map = m_map.panned(-m_map.width() / 10);
            return update();
        case Qt::Key_D:
            m_map = m_map.panned(m_map.width() / 10);
            return update();
        case Qt::Key_Left:
        case Qt::Key_Right: {
            if (!m_chart || m_chart->boxes.empty()) return;
            const Row now = m_workspace.sources().store->rowOf(m_workspace.now().buffer);
            const auto count = static_cast<std::ptrdiff_t>(m_chart->boxes.size());
            auto at = std::find_if(m_chart->boxes.begin(), m_chart->boxes.end(),
                                   [&](const OwnerBox& box) { return box.row == now; }) -
                      m_chart->boxes.begin();
            at = at == count ? 0
                             : std::clamp<std::ptrdiff_t>(at + (event->key() == Qt::Key_Right ? 1 : -1), 0,
                                                          count - 1);
            return choose(m_chart->boxes[static_cast<std::size_t>(at)]);
        }
        default:
            return QWidget::keyPressEvent(event);
    }
}

}  // namespace vramscope::gui
