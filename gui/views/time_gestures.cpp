// SPDX-License-Identifier: Apache-2.0
#include "gui/views/time_gestures.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <QWidget>
#include <algorithm>
#include <cmath>

#include "gui/views/paint_range.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

// As in TimelineView.
constexpr double kWheelZoom = 0.85;
constexpr double kKeyZoom = 0.6;
constexpr double kClickPixels = 4;

/// The selected range over a view that draws none itself.
class RangeOverlay : public QWidget {
public:
    RangeOverlay(QWidget& view, const Workspace& workspace, const TimeGestures& gestures,
                 TimeGestures::Hold hold)
        : QWidget(&view), m_workspace(workspace), m_gestures(gestures), m_hold(std::move(hold)) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setAttribute(Qt::WA_NoSystemBackground);
        setFocusPolicy(Qt::NoFocus);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const TimeRange& draft = m_gestures.draft();
        if (draft.isEmpty() && m_hold.viewPaintsRange) return;
        QPainter painter(this);
        paintRange(painter, m_hold.map(), draft.isEmpty() ? m_workspace.now().range : draft, themeOf(*this),
                   0, height());
    }

private:
    const Workspace& m_workspace;
    const TimeGestures& m_gestures;
    TimeGestures::Hold m_hold;
};

}  // namespace

TimeGestures::TimeGestures(QWidget& view, Workspace& workspace, Hold hold)
    : QObject(&view), m_view(view), m_workspace(workspace), m_hold(std::move(hold)) {
    m_overlay = new RangeOverlay(view, workspace, *this, m_hold);
    m_overlay->resize(view.size());
    m_overlay->show();
    view.installEventFilter(this);
    connect(&workspace.selection(), &SharedSelection::changed, m_overlay, qOverload<>(&QWidget::update));
}

bool TimeGestures::eventFilter(QObject* watched, QEvent* event) {
    if (watched != &m_view || m_isReplaying) return false;
    switch (event->type()) {
        case QEvent::Resize:
            m_overlay->resize(m_view.size());
            return false;
        case QEvent::MouseButtonPress:
            return press(*static_cast<QMouseEvent*>(event));
        case QEvent::MouseMove:
            return move(*static_cast<QMouseEvent*>(event));
        case QEvent::MouseButtonRelease:
            return release(*static_cast<QMouseEvent*>(event));
        case QEvent::MouseButtonDblClick:
            focusSelection();
            return true;
        case QEvent::Leave:
            m_hover.reset();
            return false;
        case QEvent::Wheel:
            wheel(*static_cast<QWheelEvent*>(event));
            event->accept();
            return true;
        case QEvent::KeyPress:
            return key(*static_cast<QKeyEvent*>(event));
        case QEvent::KeyRelease: {
            const auto* released = static_cast<QKeyEvent*>(event);
            if (released->key() == Qt::Key_Space && !released->isAutoRepeat()) m_isSpaceDown = false;
            return false;
        }
        default:
            return false;
    }
}

bool TimeGestures::press(const QMouseEvent& event) {
    m_from = event.position();
    m_fromMap = m_hold.map();
    const bool isLeft = event.button() == Qt::LeftButton;
    if (event.button() == Qt::MiddleButton || (isLeft && (m_isSpaceDown || m_isHand)))
        m_drag = Drag::Pan;
    else if (isLeft)
        m_drag = Drag::Range;
    return m_drag != Drag::None;
}

bool TimeGestures::move(const QMouseEvent& event) {
    m_hover = event.position();
    if (m_drag == Drag::Pan) m_hold.setMap(m_fromMap.panned(m_from.x() - m_hover->x()));
    if (m_drag == Drag::Range && std::abs(m_hover->x() - m_from.x()) >= kClickPixels) {
        const std::int64_t from = m_fromMap.timeAt(m_from.x());
        const std::int64_t to = m_fromMap.timeAt(m_hover->x());
        m_draft = {std::min(from, to), std::max(from, to)};
        m_overlay->update();
    }
    return m_drag != Drag::None;
}

bool TimeGestures::release(const QMouseEvent& event) {
    const Drag drag = m_drag;
    m_drag = Drag::None;
    if (drag == Drag::None) return false;
    const TimeRange range = m_draft;
    m_draft = {};
    if (!range.isEmpty()) {
        m_workspace.selection().change([&](Selection& selection) { selection.range = range; });
        return true;
    }
    if (drag != Drag::Range) return true;
    // A click after all: the view has not seen its press yet.
    QMouseEvent click(QEvent::MouseButtonPress, m_from, event.globalPosition(), Qt::LeftButton,
                      Qt::LeftButton, event.modifiers());
    m_isReplaying = true;
    QApplication::sendEvent(&m_view, &click);
    m_isReplaying = false;
    return false;
}

void TimeGestures::wheel(const QWheelEvent& event) {
    const TimeMap map = m_hold.map();
    const double turns = event.angleDelta().y() / 120.0;
    const double sideways = event.angleDelta().x() / 120.0;
    if (event.modifiers() & Qt::ControlModifier)
        return m_hold.setMap(map.zoomed(std::pow(kWheelZoom, turns), event.position().x()));
    const bool isSideways = !(event.modifiers() & Qt::ShiftModifier) && sideways != 0;
    m_hold.setMap(map.panned(-(isSideways ? sideways : turns) * map.width() / 10));
}

bool TimeGestures::key(const QKeyEvent& event) {
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
    const TimeMap map = m_hold.map();
    const double step = map.width() / ((event.modifiers() & Qt::ShiftModifier) ? 2 : 10);
    switch (event.key()) {
        case Qt::Key_Left:
        case Qt::Key_A:
            m_hold.setMap(map.panned(-step));
            return true;
        case Qt::Key_Right:
        case Qt::Key_D:
            m_hold.setMap(map.panned(step));
            return true;
        case Qt::Key_Up:
        case Qt::Key_W:
            zoom(kKeyZoom);
            return true;
        case Qt::Key_Down:
        case Qt::Key_S:
            zoom(1 / kKeyZoom);
            return true;
        case Qt::Key_Home:
        case Qt::Key_H:
            showAll();
            return true;
        case Qt::Key_F:
            focusSelection();
            return true;
        case Qt::Key_T:
            if (m_hover) {
                const std::int64_t timeNs = map.timeAt(m_hover->x());
                m_workspace.selection().change([&](Selection& selection) { selection.timeNs = timeNs; });
            }
            return true;
        case Qt::Key_Space:
            m_isSpaceDown = true;
            return true;
        case Qt::Key_Comma:
        case Qt::Key_Period:
            // The arrows move the time as in every such view; these go from one thing to the next.
            replayKey(event.key() == Qt::Key_Comma ? Qt::Key_Left : Qt::Key_Right);
            return true;
        default:
            return false;
    }
}

void TimeGestures::replayKey(Qt::Key key) {
    QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier);
    m_isReplaying = true;
    QApplication::sendEvent(&m_view, &press);
    m_isReplaying = false;
}

void TimeGestures::zoom(double factor) {
    const TimeMap map = m_hold.map();
    m_hold.setMap(map.zoomed(factor, m_hover ? m_hover->x() : map.left() + map.width() / 2));
}

void TimeGestures::focusSelection() {
    const Selection& selection = m_workspace.now();
    const std::int64_t endNs = m_workspace.session().endNs();
    TimeRange wanted = selection.range;
    if (wanted.isEmpty() && selection.timeNs) {
        const std::int64_t around = std::max<std::int64_t>(endNs / 40, 1);
        wanted = {*selection.timeNs - around, *selection.timeNs + around};
    }
    if (wanted.isEmpty()) return showAll();
    const std::int64_t margin = wanted.lengthNs() / 20;
    const TimeMap map = m_hold.map();
    const TimeMap focused = map.showing({wanted.fromNs - margin, wanted.toNs + margin});
    focused.shown() == map.shown() ? showAll() : m_hold.setMap(focused);
}

void TimeGestures::showAll() {
    m_hold.setMap(m_hold.map().showing({0, m_workspace.session().endNs()}));
}

}  // namespace vramscope::gui
