// SPDX-License-Identifier: Apache-2.0
#include "gui/models/query_result_model.h"

namespace vramscope::gui {

void QueryResultModel::setResult(QueryResult result) {
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

int QueryResultModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_result.rows.size());
}

int QueryResultModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_result.columns.size());
}

QVariant QueryResultModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || role != Qt::DisplayRole) return {};
    return m_result.rows[static_cast<std::size_t>(index.row())][index.column()];
}

QVariant QueryResultModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole) return {};
    return orientation == Qt::Horizontal ? QVariant(m_result.columns.value(section)) : QVariant(section + 1);
}

}  // namespace vramscope::gui
