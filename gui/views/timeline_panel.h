// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QToolButton>
#include <QWidget>

#include "gui/models/text_table.h"
#include "gui/models/timeline_model.h"
#include "gui/views/exportable_view.h"
#include "gui/views/timeline_view.h"

class QComboBox;
class QLabel;

namespace vramscope::gui {

/// The colours of a lane's groups with their names; a click filters by one.
class TimelineLegend : public QWidget {
    Q_OBJECT

public:
    /// Of `view`, which outlives it.
    TimelineLegend(Workspace& workspace, TimelineModel& model, const TimelineView& view,
                   QWidget* parent = nullptr);
    QSize sizeHint() const override { return {210, 120}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    int rowHeight() const;
    Workspace& m_workspace;
    TimelineModel& m_model;
    const TimelineView& m_view;
};

/// The time line with what it is stacked by, its legend, and a readout of what is under the mouse.
class TimelinePanel : public QWidget, public ExportableView {
    Q_OBJECT

public:
    TimelinePanel(Workspace& workspace, QWidget* parent = nullptr);

    TimelineView& view() { return *m_view; }
    TimelineModel& model() { return m_model; }

    void setHandTool(bool isOn) { m_hand->setChecked(isOn); }

    QWidget& pictured() override { return *m_picture; }
    /// The part of the run that is shown, a row for each of a thousand equal parts: when most was live in it.
    QString asCsv() const override { return table(true).csv(); }
    QString asText() const override { return m_model.lanes().empty() ? QString() : table(false).aligned(); }

Q_SIGNALS:
    void bookmarkWanted();
    /// Dragging moves the time instead of selecting a range, or no more.
    void handToolChanged(bool isOn);

private:
    void describe();
    void showMenu(const QPoint& globalPosition);
    TextTable table(bool isExact) const;

    Workspace& m_workspace;
    TimelineModel m_model;
    QComboBox* m_by;
    QLabel* m_readout;
    TimelineView* m_view;
    QToolButton* m_hand;
    QWidget* m_picture;  ///< the view and its legend
};

}  // namespace vramscope::gui
