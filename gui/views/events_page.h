// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QTableView>

#include "gui/models/event_list_model.h"
#include "gui/models/workspace.h"
#include "gui/views/note_or_content.h"

namespace vramscope::gui {

/// Allocations and frees one after the other; going through them moves the moment of all views.
class EventsPage : public QWidget {
    Q_OBJECT

public:
    explicit EventsPage(Workspace& workspace, QWidget* parent = nullptr);

    EventListModel& model() { return m_model; }
    QString note() const { return m_page->note(); }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void renew();
    void follow(const Selection& selection);
    void describe();

    Workspace& m_workspace;
    EventListModel m_model;
    QTableView* m_table;
    QLabel* m_status;
    NoteOrContent* m_page;
    bool m_isFed = false;
};

}  // namespace vramscope::gui
