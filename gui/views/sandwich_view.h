// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTableView>

#include "gui/models/function_list_model.h"
#include "gui/views/stack_table.h"

class QLabel;

namespace vramscope::gui {

/// Every function at the left; at the right, who called the chosen one above and what it called below.
class SandwichView : public QWidget {
    Q_OBJECT

public:
    explicit SandwichView(QWidget* parent = nullptr);

    /// A tree that begins at the outermost functions. The chosen function stays if it is there.
    void setTree(std::shared_ptr<const StackTree> tree);
    void choose(const std::string& function, const std::string& library);
    const FunctionListModel& functions() const { return m_functions; }
    StackTable& callers() { return *m_callers; }
    StackTable& callees() { return *m_callees; }

Q_SIGNALS:
    /// A person chose a function or a row; one of the stacks that go through it.
    void stackChosen(vramscope::model::StackId stack);

private:
    void showFunction(int row);

    std::shared_ptr<const StackTree> m_tree;
    FunctionListModel m_functions;
    QTableView* m_list;
    StackTable* m_callers;
    StackTable* m_callees;
    QLabel* m_callersTitle;
    QLabel* m_calleesTitle;
    std::string m_function;
    std::string m_library;
    bool m_isFollowing = false;
};

}  // namespace vramscope::gui
