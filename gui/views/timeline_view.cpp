// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_view.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

constexpr double kWheelZoom = 0.85;
constexpr double kKeyZoom = 0.6;
/// A press that moves less than this is a click.
constexpr double kClickPixels = 4;

}  // namespace

TimelineView::TimelineView(Workspace& workspace, TimelineModel& model, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_model(model) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Timeline of live memory"));
    setAccessibleDescription(tr("Arrow keys move, W and S zoom, square brackets step from event to event."));
    connect(&model, &TimelineModel::changed, this, &TimelineView::dataChanged);
    connect(&workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now, const Selection& before) {
                if (now.timeNs && now.timeNs != before.timeNs && !m_map.shown().contains(*now.timeNs) &&
                    *now.timeNs != m_map.shown().toNs) {
                    const std::int64_t half = m_map.shown().lengthNs() / 2;
                    setMap(m_map.showing({*now.timeNs - half, *now.timeNs + half}));
                }
                update();
            });
    connect(&workspace.session(), &Session::opened, this, [this] { m_isFresh = true; });
    connect(&workspace.sidecar(), &Sidecar::changed, this, qOverload<>(&QWidget::update));
    connect(&workspace, &Workspace::sourcesChanged, this, qOverload<>(&QWidget::update));
}

void TimelineView::dataChanged() {
    const TimeRange before = m_map.shown();
    const std::int64_t endBefore = m_whole.shown().toNs;
    layoutLanes();
    if (endBefore != m_model.endNs()) {
        // A capture that grows leaves what somebody looks at where it is.
        const bool showedAll = before.fromNs <= 0 && before.toNs >= endBefore;
        if (m_isFresh || showedAll)
            showAll();
        else if (m_followsEnd)
            setMap(m_map.showing({m_model.endNs() - before.lengthNs(), m_model.endNs()}));
    }
    if (!m_model.isCoarse()) {
        if (m_isFresh) showBusyPart();
        m_isFresh = false;
    }
    spoil();
}

void TimelineView::showBusyPart() {
    if (!m_workspace.hasBuffers() || m_workspace.sources().store->events.empty()) return;
    if (m_workspace.session().isGrowing()) return;
    const BufferStore& store = *m_workspace.sources().store;
    const std::int64_t firstNs = store.timeOfEvent(store.events.front());
    const std::int64_t endNs = m_model.endNs();
    // A program that takes long to start would show as an empty picture.
    if (firstNs > endNs / 3) setMap(m_map.showing({firstNs - (endNs - firstNs) / 20, endNs}));
}

void TimelineView::setFollowsEnd(bool isOn) {
    m_followsEnd = isOn;
    const TimeRange shown = m_map.shown();
    if (isOn && shown.toNs < m_model.endNs())
        setMap(m_map.showing({m_model.endNs() - shown.lengthNs(), m_model.endNs()}));
}

void TimelineView::spoil() {
    m_isSpoiled = true;
    update();
}

void TimelineView::setMap(const TimeMap& map) {
    m_map = map;
    spoil();
    Q_EMIT shownChanged();
}

void TimelineView::setShown(TimeRange shown) {
    setMap(m_map.showing(shown));
}

void TimelineView::showAll() {
    setMap(m_map.showing({0, m_model.endNs()}));
}

void TimelineView::focusSelection() {
    const Selection& selection = m_workspace.now();
    TimeRange wanted = selection.range;
    if (wanted.isEmpty() && selection.timeNs) {
        const std::int64_t around = std::max<std::int64_t>(m_model.endNs() / 40, 1);
        wanted = {*selection.timeNs - around, *selection.timeNs + around};
    }
    if (wanted.isEmpty()) return showAll();
    const std::int64_t margin = wanted.lengthNs() / 20;
    const TimeMap focused = m_map.showing({wanted.fromNs - margin, wanted.toNs + margin});
    focused.shown() == m_map.shown() ? showAll() : setMap(focused);
}

void TimelineView::zoomAtCursor(double factor) {
    const double middle = m_map.left() + m_map.width() / 2;
    setMap(m_map.zoomed(factor, m_hover ? m_hover->x() : middle));
}

void TimelineView::pan(double pixels) {
    setMap(m_map.panned(pixels));
}

void TimelineView::stepEvent(int direction) {
    if (!m_workspace.hasBuffers()) return;
    const BufferStore& store = *m_workspace.sources().store;
    const BufferFilter filter = m_workspace.rowFilter();
    const std::int64_t now = m_workspace.momentNs();
    auto at = static_cast<std::int64_t>(store.firstEventAt(direction > 0 ? now + 1 : now));
    if (direction < 0) --at;
    while (at >= 0 && at < static_cast<std::int64_t>(store.events.size())) {
        const std::uint32_t event = store.events[static_cast<std::size_t>(at)];
        if (filter.fits(event >> 1U)) {
            m_workspace.selection().change([&](Selection& selection) {
                selection.timeNs = store.timeOfEvent(event);
                if (event >> 1U < store.bufferCount()) selection.buffer = {store.idOf(event >> 1U)};
            });
            return;
        }
        at += direction;
    }
}

void TimelineView::setShowsCapacity(bool isShown) {
    m_showsCapacity = isShown;
    layoutLanes();
    spoil();
}

bool TimelineView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text = readoutAt(help->pos());
        text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

void TimelineView::resizeEvent(QResizeEvent*) {
    layoutLanes();
    const double left = plotLeft();
    const double plotWidth = std::max(width() - left - 8, 1.0);
    m_map = TimeMap(m_map.shown(), left, plotWidth, m_model.endNs());
    spoil();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const double turns = event->angleDelta().y() / 120.0;
    const double sideways = event->angleDelta().x() / 120.0;
    if (event->modifiers() & Qt::ControlModifier)
        setMap(m_map.zoomed(std::pow(kWheelZoom, turns), event->position().x()));
    else if (event->modifiers() & Qt::ShiftModifier)
        pan(-turns * m_map.width() / 10);
    else
        pan(-(sideways != 0 ? sideways : turns) * m_map.width() / 10);
    event->accept();
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    m_dragFrom = event->position();
    m_dragMap = m_map;
    const bool isOnMinimap = minimapArea().contains(event->position().toPoint());
    m_dragFromNs = m_map.timeAt(m_dragFrom.x());
    if (event->button() == Qt::MiddleButton ||
        (event->button() == Qt::LeftButton && (m_isSpaceDown || (m_isHand && !isOnMinimap))))
        m_drag = Drag::Pan;
    else if (event->button() == Qt::LeftButton)
        m_drag = isOnMinimap ? Drag::Minimap : Drag::Range;
    if (m_drag == Drag::Minimap) mouseMoveEvent(event);
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    m_hover = event->position();
    switch (m_drag) {
        case Drag::None:
            Q_EMIT hovered(readoutAt(*m_hover).section(QLatin1Char('\n'), 0, 0));
            break;
        case Drag::Pan:
            setMap(m_dragMap.panned(m_dragFrom.x() - m_hover->x()));
            break;
        case Drag::Minimap: {
            const std::int64_t half = m_map.shown().lengthNs() / 2;
            const std::int64_t middle = m_whole.timeAt(m_hover->x());
            setMap(m_map.showing({middle - half, middle + half}));
            break;
        }
        case Drag::Range: {
            if (std::abs(m_hover->x() - m_dragFrom.x()) < kClickPixels) break;
            const std::int64_t to = m_map.timeAt(m_hover->x());
            m_draft = {std::min(m_dragFromNs, to), std::max(m_dragFromNs, to)};
            Q_EMIT hovered(
                tr("%1 to %2: %3")
                    .arg(timeText(m_draft.fromNs), timeText(m_draft.toNs), durationText(m_draft.lengthNs())));
            break;
        }
    }
    update();
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = m_drag;
    m_drag = Drag::None;
    if (drag != Drag::Range) return;
    const TimeRange range = m_draft;
    m_draft = {};
    if (!range.isEmpty()) {
        m_workspace.selection().change([&](Selection& selection) { selection.range = range; });
        update();
        return;
    }
    std::optional<QString> finding;
    markAt(event->position(), finding);
    if (finding) return m_workspace.showFinding(*finding);
    const std::int64_t timeNs = m_map.timeAt(event->position().x());
    m_workspace.selection().change([&](Selection& selection) { selection.timeNs = timeNs; });
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent*) {
    focusSelection();
}

void TimelineView::leaveEvent(QEvent*) {
    m_hover.reset();
    Q_EMIT hovered({});
    update();
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    Q_EMIT menuRequested(event->globalPos());
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const bool isPlain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    const double step = m_map.width() / ((event->modifiers() & Qt::ShiftModifier) ? 2 : 10);
    if (!isPlain) return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_A:
            return pan(-step);
        case Qt::Key_Right:
        case Qt::Key_D:
            return pan(step);
        case Qt::Key_Up:
        case Qt::Key_W:
            return zoomAtCursor(kKeyZoom);
        case Qt::Key_Down:
        case Qt::Key_S:
            return zoomAtCursor(1 / kKeyZoom);
        case Qt::Key_Home:
        case Qt::Key_H:
            return showAll();
        case Qt::Key_F:
            return focusSelection();
        case Qt::Key_BracketLeft:
            return stepEvent(-1);
        case Qt::Key_BracketRight:
            return stepEvent(1);
        case Qt::Key_T:
            if (m_hover) {
                const std::int64_t timeNs = m_map.timeAt(m_hover->x());
                m_workspace.selection().change([&](Selection& selection) { selection.timeNs = timeNs; });
            }
            return;
        case Qt::Key_Space:
            m_isSpaceDown = true;
            return;
        default:
            return QWidget::keyPressEvent(event);
    }
}

void TimelineView::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) m_isSpaceDown = false;
    QWidget::keyReleaseEvent(event);
}

void TimelineView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) spoil();
    QWidget::changeEvent(event);
}

}  // namespace vramscope::gui
