// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include "gui/models/timeline_model.h"
#include "gui/views/timeline_view.h"

class QComboBox;
class QLabel;

namespace vramscope::gui {

/// The colours of a lane's groups with their names; a click filters by one.
class TimelineLegend : public QWidget {
    Q_OBJECT

public:
    TimelineLegend(Workspace& workspace, TimelineModel& model, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {210, 120}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    int rowHeight() const;
    Workspace& m_workspace;
    TimelineModel& m_model;
};

/// The time line with what it is stacked by, its legend, and a readout of what is under the mouse.
class TimelinePanel : public QWidget {
    Q_OBJECT

public:
    TimelinePanel(Workspace& workspace, QWidget* parent = nullptr);

    TimelineView& view() { return *m_view; }
    TimelineModel& model() { return m_model; }

Q_SIGNALS:
    void bookmarkWanted();

private:
    void describe();
    void showMenu(const QPoint& globalPosition);

    Workspace& m_workspace;
    TimelineModel m_model;
    QComboBox* m_by;
    QLabel* m_readout;
    TimelineView* m_view;
};

}  // namespace vramscope::gui
