// SPDX-License-Identifier: Apache-2.0
#include "gui/views/stack_table.h"

#include <QHeaderView>
#include <array>
#include <utility>

namespace vramscope::gui {
namespace {

/// Rows that are opened without being asked to.
constexpr int kMostOpened = 40;
/// A child with at least this share of its parent is where to look.
constexpr double kShareToOpen = 0.5;

}  // namespace

StackTable::StackTable(QWidget* parent) : QTreeView(parent) {
    QTreeView::setModel(&m_model);
    setUniformRowHeights(true);
    setAlternatingRowColors(true);
    setFrameShape(QFrame::NoFrame);
    setAllColumnsShowFocus(true);
    header()->setStretchLastSection(true);
    const int unit = fontMetrics().averageCharWidth();
    constexpr std::array<int, StackTreeModel::ColumnCount> kWidths{44, 12, 9, 12, 10, 14, 24};
    for (int column = 0; column < StackTreeModel::ColumnCount; ++column)
        setColumnWidth(column, kWidths[static_cast<std::size_t>(column)] * unit);
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                if (!m_isFollowing && index.isValid()) Q_EMIT nodeChosen(m_model.nodeAt(index));
            });
}

void StackTable::setTree(std::shared_ptr<const StackTree> tree) {
    m_isFollowing = true;
    m_model.setTree(std::move(tree));
    m_isFollowing = false;
    if (!m_model.tree() || m_model.tree()->nodes.empty()) return;
    const auto& nodes = m_model.tree()->nodes;
    const StackTree::Node* node = &nodes.front();
    for (int opened = 0; opened < kMostOpened && !node->children.empty(); ++opened) {
        const std::int32_t first = node->children.front();
        const StackTree::Node& child = nodes[static_cast<std::size_t>(first)];
        if (static_cast<double>(child.bytes) < kShareToOpen * static_cast<double>(node->bytes)) return;
        expand(m_model.indexOf(first));
        node = &child;
    }
}

void StackTable::select(std::int32_t node) {
    m_isFollowing = true;
    const QModelIndex index = m_model.indexOf(node);
    setCurrentIndex(index);
    if (index.isValid()) scrollTo(index);
    m_isFollowing = false;
}

}  // namespace vramscope::gui
