// SPDX-License-Identifier: Apache-2.0
#include "gui/views/table_keeper.h"

#include <QItemSelection>
#include <QItemSelectionModel>
#include <QScrollBar>
#include <QSignalBlocker>
#include <algorithm>

namespace vramscope::gui {
namespace {

/// Of a larger selection only the beginning is kept: somebody chose everything, and nobody reads that.
constexpr std::size_t kMostKept = 100'000;

}  // namespace

TableKeeper::TableKeeper(QTableView& table, BufferTableModel& model)
    : QObject(&table), m_table(table), m_model(model) {
    connect(&model, &BufferTableModel::aboutToReload, this, &TableKeeper::remember);
    connect(&model, &BufferTableModel::reloaded, this, &TableKeeper::restore);
}

void TableKeeper::remember() {
    m_isAtTop = m_table.verticalScrollBar()->value() == m_table.verticalScrollBar()->minimum();
    m_left = m_table.horizontalScrollBar()->value();
    m_top = std::max(m_table.rowAt(0), 0);
    m_column = std::max(m_table.currentIndex().column(), 0);
    m_buffers = {m_model.bufferAt(m_top), m_model.bufferAt(m_table.currentIndex().row())};
    for (const QItemSelectionRange& range : m_table.selectionModel()->selection()) {
        for (int row = range.top(); row <= range.bottom() && m_buffers.size() < kMostKept; ++row)
            m_buffers.push_back(m_model.bufferAt(row));
    }
}

void TableKeeper::restore() {
    const std::vector<int> rows = m_model.rowsOf(m_buffers);
    // Nothing was chosen: the same is still chosen.
    const QSignalBlocker blocker(m_table.selectionModel());
    if (rows[1] >= 0)
        m_table.selectionModel()->setCurrentIndex(m_model.index(rows[1], m_column),
                                                  QItemSelectionModel::NoUpdate);
    std::vector<int> selected(rows.begin() + 2, rows.end());
    std::erase(selected, -1);
    std::sort(selected.begin(), selected.end());
    QItemSelection selection;
    for (std::size_t i = 0; i < selected.size();) {
        std::size_t end = i + 1;
        while (end < selected.size() && selected[end] == selected[end - 1] + 1)
            ++end;
        selection.append(QItemSelectionRange(m_model.index(selected[i], 0),
                                             m_model.index(selected[end - 1], kBufferColumns - 1)));
        i = end;
    }
    m_table.selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    const int top = m_isAtTop ? 0 : rows[0] >= 0 ? rows[0] : std::min(m_top, m_model.rowCount() - 1);
    if (top >= 0) m_table.scrollTo(m_model.index(top, 0), QAbstractItemView::PositionAtTop);
    m_table.horizontalScrollBar()->setValue(m_left);
    m_table.viewport()->update();
}

}  // namespace vramscope::gui
