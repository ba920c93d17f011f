// SPDX-License-Identifier: Apache-2.0
#include "gui/models/stack_tree_model.h"

namespace vramscope::gui {

void StackTreeModel::setTree(std::shared_ptr<const StackTree> tree) {
    beginResetModel();
    m_tree = std::move(tree);
    m_rows.assign(m_tree ? m_tree->nodes.size() : 0, 0);
    for (std::size_t parent = 0; parent < m_rows.size(); ++parent) {
        const auto& children = m_tree->nodes[parent].children;
        for (std::size_t i = 0; i < children.size(); ++i)
            m_rows[static_cast<std::size_t>(children[i])] = static_cast<int>(i);
    }
    endResetModel();
}

std::int32_t StackTreeModel::nodeAt(const QModelIndex& index) const {
    return index.isValid() && m_tree ? static_cast<std::int32_t>(index.internalId()) : -1;
}

QModelIndex StackTreeModel::indexOf(std::int32_t number, int column) const {
    if (!m_tree || number <= 0 || static_cast<std::size_t>(number) >= m_tree->nodes.size()) return {};
    return createIndex(m_rows[static_cast<std::size_t>(number)], column, static_cast<quintptr>(number));
}

QModelIndex StackTreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    const std::int32_t above = parent.isValid() ? nodeAt(parent) : 0;
    return createIndex(row, column,
                       static_cast<quintptr>(node(above).children[static_cast<std::size_t>(row)]));
}

QModelIndex StackTreeModel::parent(const QModelIndex& child) const {
    return child.isValid() ? indexOf(node(nodeAt(child)).parent) : QModelIndex();
}

int StackTreeModel::rowCount(const QModelIndex& parent) const {
    if (!m_tree || m_tree->nodes.empty() || parent.column() > 0) return 0;
    return static_cast<int>(node(parent.isValid() ? nodeAt(parent) : 0).children.size());
}

int StackTreeModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QVariant StackTreeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    return cellOf(node(nodeAt(index)), static_cast<FunctionColumn>(index.column()), role, node(0).bytes);
}

QVariant StackTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= ColumnCount) return {};
    return headingOf(static_cast<FunctionColumn>(section));
}

}  // namespace vramscope::gui
