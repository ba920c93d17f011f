// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include "gui/models/query_result_model.h"
#include "gui/models/text_table.h"
#include "gui/models/workspace.h"
#include "gui/views/exportable_view.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTableView;

namespace vramscope::gui {

/// A query, examples to begin with, and its rows. Columns that name a buffer, a stack or a time are links.
class SqlPage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit SqlPage(Workspace& workspace, QWidget* parent = nullptr);

    void run(const QString& sql);
    bool isBusy() const { return m_job.isBusy(); }
    const QueryResultModel& model() const { return m_model; }
    QString status() const;

    QWidget& pictured() override;
    QString asCsv() const override { return tableOf(m_model, kMostExportedRows, true).csv(); }
    /// The question and its rows.
    QString asText() const override;

private:
    void runEdited();
    void followCell(const QModelIndex& index);

    Workspace& m_workspace;
    QComboBox* m_examples;
    QPlainTextEdit* m_edit;
    QPushButton* m_run;
    QLabel* m_status;
    QTableView* m_table;
    QueryResultModel m_model;
    JobSlot m_job;
};

}  // namespace vramscope::gui
