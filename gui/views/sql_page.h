// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include "gui/models/query_result_model.h"
#include "gui/models/workspace.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTableView;

namespace vramscope::gui {

/// A query, examples to begin with, and its rows. Columns that name a buffer, a stack or a time are links.
class SqlPage : public QWidget {
    Q_OBJECT

public:
    explicit SqlPage(Workspace& workspace, QWidget* parent = nullptr);

    void run(const QString& sql);
    bool isBusy() const { return m_job.isBusy(); }
    const QueryResultModel& model() const { return m_model; }
    QString status() const;

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
