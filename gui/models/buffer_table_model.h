// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <memory>

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

    /// Shows these buffers; null sources show none.
    void setSources(const BufferFilter::Sources& sources);
    void setSelection(const Selection& selection, const ParsedFilter& filter);

    /// The buffer in a row of the table, or none.
    model::BufferId bufferAt(int row) const;
    /// Where a buffer stands, or -1. Looks through all rows.
    int rowOf(model::BufferId buffer) const;
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

private:
    void renew();
    void show(RowOrder order);
    QString textOf(Row row, BufferColumn column) const;

    BufferFilter::Sources m_sources;
    Selection m_selection;
    ParsedFilter m_filter;
    BufferColumn m_column = BufferColumn::Size;
    Qt::SortOrder m_direction = Qt::DescendingOrder;
    std::shared_ptr<const RowOrder> m_order = std::make_shared<const RowOrder>();
    JobSlot m_job;
    JobSlot m_restJob;
};

}  // namespace vramscope::gui
