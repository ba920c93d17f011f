// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include "gui/models/workspace.h"
#include "gui/views/exportable_view.h"
#include "gui/views/flame_view.h"
#include "gui/views/note_or_content.h"
#include "gui/views/sandwich_view.h"
#include "gui/views/stack_table.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QStackedWidget;

namespace vramscope::gui {

/// Stacks as a flame graph, as a table or as a sandwich: what is added up, from which end, with a search.
class StacksPage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit StacksPage(Workspace& workspace, QWidget* parent = nullptr);

    /// How the stacks are shown.
    enum class Form { Flame, Table, Sandwich };

    FlameView& flame() { return *m_flame; }
    StackTable& table() { return *m_table; }
    SandwichView& sandwich() { return *m_sandwich; }
    void setForm(Form form);
    std::shared_ptr<const StackTree> tree() const { return m_tree; }
    bool isBusy() const { return m_job.isBusy(); }
    void setMetric(StackMetric metric);
    QString note() const { return m_page->note(); }
    /// "function;function 123" lines, which other flame graph tools read.
    QString foldedText() const;

    QWidget& pictured() override { return *m_flame; }
    /// Every node of the tree with what it adds up.
    QString asCsv() const override;
    QString asText() const override { return foldedText(); }

private:
    void renew();
    void show(StackTree tree);
    void describe();
    StackMetric metric() const;
    Form form() const;
    void chooseStack(model::StackId stack);
    void followStack(model::StackId stack);
    void showTree();

    Workspace& m_workspace;
    std::shared_ptr<const StackTree> m_tree;
    QComboBox* m_form;
    QComboBox* m_metric;
    QCheckBox* m_bottomUp;
    QCheckBox* m_folds;
    QLineEdit* m_search;
    QLabel* m_status;
    FlameView* m_flame;
    StackTable* m_table;
    SandwichView* m_sandwich;
    QStackedWidget* m_forms;
    NoteOrContent* m_page;
    bool m_isChoosing = false;
    JobSlot m_job;
};

}  // namespace vramscope::gui
