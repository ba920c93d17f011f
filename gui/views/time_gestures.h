// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPointF>
#include <functional>
#include <optional>

#include "gui/models/time_map.h"
#include "gui/models/workspace.h"

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;
class QWidget;

namespace vramscope::gui {

/// The hands of the time line for another view with time from left to right, so that mouse and keys do the
/// same in both: drag selects a range; Space, the middle button or the hand tool moves; the wheel moves and
/// zooms; W A S D, arrows, F, H, Home and T. It watches the view's events and paints the range over the view;
/// a click goes on to the view itself, and so do comma and full stop, as left and right: to the thing before,
/// to the next. Keys that belong to the whole window are left to it.
class TimeGestures : public QObject {
    Q_OBJECT

public:
    struct Hold {
        std::function<TimeMap()> map;
        std::function<void(const TimeMap&)> setMap;
        bool viewPaintsRange = false;  ///< below its words; only what is being drawn goes over them
    };
    /// `view` is the parent; `workspace` outlives it.
    TimeGestures(QWidget& view, Workspace& workspace, Hold hold);

    /// Dragging with the left button moves instead of selecting.
    void setHandTool(bool isOn) { m_isHand = isOn; }
    /// The range that is being drawn.
    const TimeRange& draft() const { return m_draft; }
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Drag { None, Range, Pan };
    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release(const QMouseEvent& event);
    void wheel(const QWheelEvent& event);
    bool key(const QKeyEvent& event);
    void replayKey(Qt::Key key);
    void zoom(double factor);
    void focusSelection();
    void showAll();

    QWidget& m_view;
    QWidget* m_overlay;
    Workspace& m_workspace;
    Hold m_hold;
    Drag m_drag = Drag::None;
    QPointF m_from;
    TimeMap m_fromMap;
    std::optional<QPointF> m_hover;
    TimeRange m_draft;
    bool m_isSpaceDown = false;
    bool m_isHand = false;
    bool m_isReplaying = false;
};

}  // namespace vramscope::gui
