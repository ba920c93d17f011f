// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "gui/models/buffer_filter.h"
#include "gui/models/row_order.h"
#include "gui/session/job_slot.h"

namespace vramscope::gui {

/// The buffers that pass a filter, millions if need be: a cell is made when it is looked at. Filtering and
/// sorting run in the pool; the first page comes first, the rest of the order follows.
class BufferTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit BufferTableModel(QThreadPool& pool, QObject* parent = nullptr);

    /// Shows these buffers; null sources show none. Where some are shown already this is a reload: they stay
    /// until all of the new ones are in order.
    void setSources(const BufferFilter::Sources& sources);
    void setSelection(const Selection& selection, const ParsedFilter& filter);

    /// The buffer in a row of the table, or none.
    model::BufferId bufferAt(int row) const;
    /// Where a buffer stands, or -1. Looks through all rows.
    int rowOf(model::BufferId buffer) const;
    /// The same for several at once.
    std::vector<int> rowsOf(const std::vector<model::BufferId>& buffers) const;
    /// Bytes of the buffer in a row of the table.
    std::int64_t bytesAt(int row) const { return m_shown.store->sizeBytes[rowAt(row)]; }
    const RowOrder& order() const { return *m_order; }
    bool isBusy() const { return m_job.isBusy() || m_restJob.isBusy(); }
    /// Buffers of the capture that the filter hides.
    std::int64_t hiddenCount() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

    /// All rows as CSV, with a heading.
    QString csv(int mostRows) const;

Q_SIGNALS:
    /// The rows, or what is known of them, are others.
    void orderChanged();
    /// Around the reset of a reload, in place of orderChanged().
    void aboutToReload();
    void reloaded();

private:
    void renew();
    void reload();
    void show(const BufferFilter::Sources& sources, RowOrder order);
    void showRest(RowOrder order);
    bool asksForFindings() const;
    /// For each persistent index its row in another order of the same rows.
    std::vector<int> movedRows(const RowOrder& order, const QModelIndexList& indexes) const;
    Row rowAt(int row) const { return m_order->rows[static_cast<std::size_t>(row)]; }
    QString textOf(Row row, BufferColumn column) const;

    BufferFilter::Sources m_sources;  ///< what is to be shown
    BufferFilter::Sources m_shown;    ///< what m_order counts rows of
    Selection m_selection;
    ParsedFilter m_filter;
    BufferColumn m_column = BufferColumn::Size;
    Qt::SortOrder m_direction = Qt::DescendingOrder;
    std::shared_ptr<const RowOrder> m_order = std::make_shared<const RowOrder>();
    JobSlot m_job;
    JobSlot m_restJob;
    bool m_isReloading = false;  ///< what m_job is for
};

}  // namespace vramscope::gui
