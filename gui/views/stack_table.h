// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTreeView>

#include "gui/models/stack_tree_model.h"

namespace vramscope::gui {

/// A tree of stacks as a table whose rows open. What holds nearly all of what is above it is open at first.
class StackTable : public QTreeView {
    Q_OBJECT

public:
    explicit StackTable(QWidget* parent = nullptr);

    void setTree(std::shared_ptr<const StackTree> tree);
    /// Marks a node and opens what is above it; -1 marks none.
    void select(std::int32_t node);
    StackTreeModel& model() { return m_model; }

Q_SIGNALS:
    /// A person chose a row.
    void nodeChosen(int node);

private:
    StackTreeModel m_model;
    bool m_isFollowing = false;
};

}  // namespace vramscope::gui
