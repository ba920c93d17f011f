// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTableView>

#include "gui/models/buffer_table_model.h"
#include "gui/models/workspace.h"
#include "gui/views/exportable_view.h"
#include "gui/views/note_or_content.h"

class QLabel;

namespace vramscope::gui {

/// The table of buffers, with a line that says what is shown and what is hidden.
class BuffersPage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit BuffersPage(Workspace& workspace, QWidget* parent = nullptr);

    BufferTableModel& model() { return m_model; }
    QTableView& table() { return *m_table; }
    /// The selected rows, or all, as CSV.
    QString csv() const;
    /// The selected rows as tab-separated text.
    QString selectedText() const;
    QString note() const { return m_page->note(); }

protected:
    void showEvent(QShowEvent* event) override;

    QWidget& pictured() override { return *m_table; }
    QString asCsv() const override { return csv(); }
    QString asText() const override;

private:
    void renew();
    void follow(const Selection& selection);
    void describe();
    void showMenu(const QPoint& point);

    Workspace& m_workspace;
    BufferTableModel m_model;
    QTableView* m_table;
    QLabel* m_status;
    NoteOrContent* m_page;
};

}  // namespace vramscope::gui
