// SPDX-License-Identifier: Apache-2.0
#include "gui/models/function_list_model.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vramscope::gui {
namespace {

constexpr std::array<FunctionColumn, FunctionListModel::ColumnCount> kColumns{
    FunctionColumn::Function, FunctionColumn::Bytes, FunctionColumn::OwnBytes, FunctionColumn::Library};

}  // namespace

void FunctionListModel::setFunctions(std::vector<FunctionTotal> functions) {
    beginResetModel();
    m_functions = std::move(functions);
    order();
    endResetModel();
}

const FunctionTotal* FunctionListModel::functionAt(int row) const {
    return row >= 0 && row < rowCount() ? &m_functions[static_cast<std::size_t>(row)] : nullptr;
}

int FunctionListModel::rowOf(const std::string& function, const std::string& library) const {
    const auto at = std::find_if(m_functions.begin(), m_functions.end(), [&](const FunctionTotal& total) {
        return total.function == function && total.library == library;
    });
    return at == m_functions.end() ? -1 : static_cast<int>(at - m_functions.begin());
}

int FunctionListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_functions.size());
}

int FunctionListModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

void FunctionListModel::order() {
    const bool isAscending = m_direction == Qt::AscendingOrder;
    const auto isBefore = [this](const FunctionTotal& a, const FunctionTotal& b) {
        switch (m_column) {
            case Bytes:
                return a.bytes < b.bytes;
            case OwnBytes:
                return a.selfBytes < b.selfBytes;
            case Library:
                return a.library < b.library;
            default:
                return a.function < b.function;
        }
    };
    std::stable_sort(m_functions.begin(), m_functions.end(),
                     [&](const FunctionTotal& a, const FunctionTotal& b) {
                         return isAscending ? isBefore(a, b) : isBefore(b, a);
                     });
}

void FunctionListModel::sort(int column, Qt::SortOrder direction) {
    if (column < 0 || column >= ColumnCount) return;
    m_column = column;
    m_direction = direction;
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<std::pair<std::string, std::string>> names;
    for (const QModelIndex& index : before) {
        const FunctionTotal& total = m_functions[static_cast<std::size_t>(index.row())];
        names.emplace_back(total.function, total.library);
    }
    order();
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
        const auto& [function, library] = names[static_cast<std::size_t>(i)];
        after.append(index(rowOf(function, library), before[i].column()));
    }
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

QVariant FunctionListModel::data(const QModelIndex& index, int role) const {
    const FunctionTotal* total = index.isValid() ? functionAt(index.row()) : nullptr;
    if (total == nullptr) return {};
    return cellOf(*total, kColumns[static_cast<std::size_t>(index.column())], role);
}

QVariant FunctionListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= ColumnCount) return {};
    return headingOf(kColumns[static_cast<std::size_t>(section)]);
}

}  // namespace vramscope::gui
