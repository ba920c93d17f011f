// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>

#include "gui/models/sandwich.h"

namespace vramscope::gui {

/// Functions with all that was allocated below them; sorted by any column.
class FunctionListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Function, Bytes, OwnBytes, Library, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setFunctions(std::vector<FunctionTotal> functions);
    /// Nullptr for no row.
    const FunctionTotal* functionAt(int row) const;
    /// The row of a function; -1 when it is not there.
    int rowOf(const std::string& function, const std::string& library) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    void order();

    std::vector<FunctionTotal> m_functions;
    int m_column = Bytes;
    Qt::SortOrder m_direction = Qt::DescendingOrder;
};

}  // namespace vramscope::gui
