// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemView>
#include <QEvent>
#include <QItemSelectionModel>
#include <QSignalBlocker>

namespace vramscope::gui {

/// Qt makes the first row of a list or table current when the focus comes to it. Where the current row is
/// what the window shows, Tab would then lead away from what somebody looks at; this keeps it quiet until a
/// key or a click chooses a row.
class CalmFocus : public QObject {
public:
    /// `view` is the parent.
    explicit CalmFocus(QAbstractItemView& view) : QObject(&view), m_view(view) {
        view.installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched != &m_view || event->type() != QEvent::FocusIn) return false;
        const QSignalBlocker blocker(m_view.selectionModel());
        watched->event(event);
        m_view.viewport()->update();
        return true;
    }

private:
    QAbstractItemView& m_view;
};

}  // namespace vramscope::gui
