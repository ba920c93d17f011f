// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include "gui/models/workspace.h"
#include "gui/views/exportable_view.h"
#include "gui/views/flame_view.h"
#include "gui/views/note_or_content.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace vramscope::gui {

/// Stacks as a flame graph: what is added up, from which end, with a search.
class StacksPage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit StacksPage(Workspace& workspace, QWidget* parent = nullptr);

    FlameView& flame() { return *m_flame; }
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

    Workspace& m_workspace;
    std::shared_ptr<const StackTree> m_tree;
    QComboBox* m_metric;
    QCheckBox* m_bottomUp;
    QCheckBox* m_folds;
    QLineEdit* m_search;
    QLabel* m_status;
    FlameView* m_flame;
    NoteOrContent* m_page;
    JobSlot m_job;
};

}  // namespace vramscope::gui
