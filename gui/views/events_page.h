// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QTableView>

#include "gui/models/event_list_model.h"
#include "gui/models/text_table.h"
#include "gui/models/workspace.h"
#include "gui/views/exportable_view.h"
#include "gui/views/note_or_content.h"

namespace vramscope::gui {

/// Allocations and frees one after the other; going through them moves the moment of all views.
class EventsPage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit EventsPage(Workspace& workspace, QWidget* parent = nullptr);

    EventListModel& model() { return m_model; }
    QString note() const { return m_page->note(); }

protected:
    void showEvent(QShowEvent* event) override;

    QWidget& pictured() override { return *m_table; }
    QString asCsv() const override { return tableOf(m_model, kMostExportedRows, true).csv(); }
    QString asText() const override { return tableOf(m_model, kMostTextRows, false).aligned(); }

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
