// SPDX-License-Identifier: Apache-2.0
#include "gui/views/sandwich_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

QWidget* titled(QLabel* title, QWidget* widget) {
    auto* box = new QWidget;
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    title->setTextFormat(Qt::PlainText);
    title->setContentsMargins(8, 4, 8, 4);
    layout->addWidget(title);
    layout->addWidget(widget, 1);
    return box;
}

}  // namespace

SandwichView::SandwichView(QWidget* parent) : QWidget(parent) {
    m_list = new QTableView(this);
    m_list->setModel(&m_functions);
    m_list->setAccessibleName(tr("Functions"));
    m_list->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_list->setSelectionMode(QAbstractItemView::SingleSelection);
    m_list->setAlternatingRowColors(true);
    m_list->setShowGrid(false);
    m_list->setWordWrap(false);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->verticalHeader()->setVisible(false);
    m_list->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_list->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_list->horizontalHeader()->setHighlightSections(false);
    m_list->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_list->horizontalHeader()->setSortIndicator(FunctionListModel::Bytes, Qt::DescendingOrder);
    m_list->setSortingEnabled(true);
    m_list->horizontalHeader()->setStretchLastSection(true);
    const int unit = fontMetrics().averageCharWidth();
    m_list->setColumnWidth(FunctionListModel::Function, 22 * unit);
    m_list->setColumnWidth(FunctionListModel::Bytes, 11 * unit);
    m_list->setColumnWidth(FunctionListModel::OwnBytes, 10 * unit);
    m_callers = new StackTable(this);
    m_callers->setAccessibleName(tr("Callers"));
    m_callees = new StackTable(this);
    m_callees->setAccessibleName(tr("Called functions"));
    for (StackTable* table : {m_callers, m_callees})
        table->setColumnWidth(StackTreeModel::Function, 30 * unit);
    m_callersTitle = new QLabel;
    m_calleesTitle = new QLabel;
    auto* right = new QSplitter(Qt::Vertical);
    right->setHandleWidth(1);
    right->addWidget(titled(m_callersTitle, m_callers));
    right->addWidget(titled(m_calleesTitle, m_callees));
    auto* sides = new QSplitter(Qt::Horizontal, this);
    sides->setHandleWidth(1);
    sides->addWidget(m_list);
    sides->addWidget(right);
    sides->setStretchFactor(1, 1);
    sides->setSizes({58 * unit, 80 * unit});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(sides);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                showFunction(index.row());
                const FunctionTotal* total = m_functions.functionAt(index.row());
                if (total != nullptr && !m_isFollowing) Q_EMIT stackChosen(total->stack);
            });
    for (StackTable* table : {m_callers, m_callees}) {
        connect(table, &StackTable::nodeChosen, this, [this, table](int node) {
            Q_EMIT stackChosen(table->model().tree()->nodes[static_cast<std::size_t>(node)].stack);
        });
        // Walking through the program: the chosen caller becomes the function between.
        connect(table, &QTreeView::activated, this, [this, table](const QModelIndex& index) {
            const auto node = static_cast<std::size_t>(table->model().nodeAt(index));
            const StackTree::Node chosen = table->model().tree()->nodes[node];
            choose(chosen.function, chosen.library);
        });
    }
}

void SandwichView::setTree(std::shared_ptr<const StackTree> tree) {
    m_tree = std::move(tree);
    m_isFollowing = true;
    m_functions.setFunctions(m_tree ? functionTotals(*m_tree) : std::vector<FunctionTotal>());
    const int row = m_functions.rowOf(m_function, m_library);
    m_list->setCurrentIndex(m_functions.index(std::max(row, 0), 0));
    showFunction(m_list->currentIndex().row());
    m_isFollowing = false;
}

void SandwichView::choose(const std::string& function, const std::string& library) {
    const int row = m_functions.rowOf(function, library);
    if (row < 0) return;
    m_isFollowing = true;
    m_list->setCurrentIndex(m_functions.index(row, 0));
    m_isFollowing = false;
}

void SandwichView::showFunction(int row) {
    const FunctionTotal* total = m_functions.functionAt(row);
    if (total == nullptr || !m_tree) {
        m_callers->setTree(nullptr);
        m_callees->setTree(nullptr);
        m_callersTitle->clear();
        m_calleesTitle->clear();
        return;
    }
    m_function = total->function;
    m_library = total->library;
    Sandwich sandwich = sandwichOf(*m_tree, m_function, m_library);
    m_callers->setTree(std::make_shared<const StackTree>(std::move(sandwich.callers)));
    m_callees->setTree(std::make_shared<const StackTree>(std::move(sandwich.callees)));
    const QString name = toText(m_function);
    m_callersTitle->setText(m_callers->model().rowCount() > 0
                                ? tr("Called %1, %2:").arg(name, bytesText(total->bytes))
                                : tr("Nothing called %1").arg(name));
    m_calleesTitle->setText(
        m_callees->model().rowCount() > 0
            ? tr("%1 called; %2 it allocated itself:").arg(name, bytesText(total->selfBytes))
            : tr("%1 allocated all of it itself").arg(name));
}

}  // namespace vramscope::gui
