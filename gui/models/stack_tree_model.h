// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemModel>
#include <memory>

#include "gui/models/stack_tree.h"

namespace vramscope::gui {

/// A StackTree as rows to open: functions with their bytes, the largest first.
class StackTreeModel : public QAbstractItemModel {
    Q_OBJECT

public:
    /// All of FunctionColumn, in its order.
    enum Column { Function, Bytes, Share, OwnBytes, Buffers, Library, Place, ColumnCount };

    using QAbstractItemModel::QAbstractItemModel;

    /// Null shows nothing. The root itself is not a row.
    void setTree(std::shared_ptr<const StackTree> tree);
    std::shared_ptr<const StackTree> tree() const { return m_tree; }
    /// The tree's number of a row; -1 for no row.
    std::int32_t nodeAt(const QModelIndex& index) const;
    QModelIndex indexOf(std::int32_t node, int column = 0) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const StackTree::Node& node(std::int32_t number) const {
        return m_tree->nodes[static_cast<std::size_t>(number)];
    }

    std::shared_ptr<const StackTree> m_tree;
    std::vector<int> m_rows;  ///< of each node, its position among its parent's children
};

}  // namespace vramscope::gui
