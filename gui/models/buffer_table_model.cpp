// SPDX-License-Identifier: Apache-2.0
#include "gui/models/buffer_table_model.h"

#include <algorithm>
#include <limits>

#include "gui/models/text.h"

namespace vramscope::gui {

BufferTableModel::BufferTableModel(QThreadPool& pool, QObject* parent)
    : QAbstractTableModel(parent), m_job(pool), m_restJob(pool) {}

void BufferTableModel::setSources(const BufferFilter::Sources& sources) {
    m_sources = sources;
    renew();
}

void BufferTableModel::setSelection(const Selection& selection, const ParsedFilter& filter) {
    const bool isSame = selection.process == m_selection.process && selection.device == m_selection.device &&
                        selection.task == m_selection.task && filter.terms == m_filter.terms;
    m_selection = selection;
    m_filter = filter;
    if (!isSame) renew();
}

void BufferTableModel::sort(int column, Qt::SortOrder order) {
    if (column < 0 || column >= kBufferColumns) return;
    m_column = static_cast<BufferColumn>(column);
    m_direction = order;
    renew();
}

void BufferTableModel::renew() {
    m_restJob.cancel();
    if (!m_sources.store || !m_sources.stacks) {
        m_job.cancel();
        show({});
        return;
    }
    m_job.start(
        [sources = m_sources, selection = m_selection, filter = m_filter, column = m_column,
         direction = m_direction](const Cancel& cancel) {
            return firstPage(sources, BufferFilter(sources, filter, selection), column, direction, cancel);
        },
        [this](RowOrder order) {
            show(std::move(order));
            if (m_order->isSorted) return;
            m_restJob.start(
                [sources = m_sources, order = m_order, column = m_column, direction = m_direction](
                    const Cancel& cancel) { return sortedFully(sources, *order, column, direction, cancel); },
                [this](RowOrder sorted) { show(std::move(sorted)); });
        });
}

void BufferTableModel::show(RowOrder order) {
    const bool isSameSet = order.rows.size() == m_order->rows.size() && !m_order->isSorted && order.isSorted;
    if (isSameSet && !order.rows.empty()) {
        // The first page stays as it is; what is behind it moves.
        Q_EMIT layoutAboutToBeChanged();
        m_order = std::make_shared<const RowOrder>(std::move(order));
        Q_EMIT layoutChanged();
    } else {
        beginResetModel();
        m_order = std::make_shared<const RowOrder>(std::move(order));
        endResetModel();
    }
    Q_EMIT orderChanged();
}

model::BufferId BufferTableModel::bufferAt(int row) const {
    if (row < 0 || row >= rowCount()) return {};
    return {m_sources.store->idOf(m_order->rows[static_cast<std::size_t>(row)])};
}

int BufferTableModel::rowOf(model::BufferId buffer) const {
    if (!m_sources.store || buffer.isNone()) return -1;
    const Row wanted = m_sources.store->rowOf(buffer);
    const auto at = std::find(m_order->rows.begin(), m_order->rows.end(), wanted);
    return at == m_order->rows.end() ? -1 : static_cast<int>(at - m_order->rows.begin());
}

std::int64_t BufferTableModel::hiddenCount() const {
    if (!m_sources.store) return 0;
    return static_cast<std::int64_t>(m_sources.store->bufferCount()) -
           static_cast<std::int64_t>(m_order->rows.size());
}

int BufferTableModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return static_cast<int>(std::min<std::size_t>(m_order->rows.size(), std::numeric_limits<int>::max()));
}

int BufferTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kBufferColumns;
}

QString BufferTableModel::textOf(Row row, BufferColumn column) const {
    const BufferStore& s = *m_sources.store;
    const model::Capture& facts = m_sources.stacks->facts();
    switch (column) {
        case BufferColumn::Name:
            return toText(s.nameOf(row));
        case BufferColumn::Size:
            return bytesText(s.sizeBytes[row]);
        case BufferColumn::Kind:
            return toText(formats::bufferKindName(s.kind[row]));
        case BufferColumn::Allocated:
            return timeText(s.allocNs[row]);
        case BufferColumn::Freed:
            return s.freeNs[row] == model::kNever ? tr("live") : timeText(s.freeNs[row]);
        case BufferColumn::Lifetime:
            return s.freeNs[row] == model::kNever ? tr("to the end")
                                                  : durationText(s.freeNs[row] - s.allocNs[row]);
        case BufferColumn::Process: {
            const model::Process* process = facts.processes.find({s.process[row]});
            if (!process) return {};
            return process->rank ? tr("rank %1").arg(*process->rank) : QString::number(process->pid);
        }
        case BufferColumn::Device:
            return s.device[row] < 0 ? tr("host") : QString::number(s.device[row]);
        case BufferColumn::Task:
            return toText(facts.taskName({s.task[row]}));
        case BufferColumn::Place:
            return toText(m_sources.stacks->placeOf(s.allocStack[row]));
        case BufferColumn::Library:
            return toText(m_sources.stacks->libraryOf(s.allocStack[row], {s.process[row]}));
        case BufferColumn::Api:
            return toText(s.apis.word(s.api[row]));
        case BufferColumn::Finding: {
            if (!m_sources.analysis) return {};
            const auto at = m_sources.analysis->findingOfBuffer.find(s.idOf(row));
            return at == m_sources.analysis->findingOfBuffer.end()
                       ? QString()
                       : toText(m_sources.analysis->findings[at->second].rule);
        }
    }
    return {};
}

QVariant BufferTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || !m_sources.store) return {};
    const Row row = m_order->rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<BufferColumn>(index.column());
    if (role == Qt::DisplayRole) return textOf(row, column);
    if (role == Qt::TextAlignmentRole) {
        const bool isNumber = column == BufferColumn::Size || column == BufferColumn::Allocated ||
                              column == BufferColumn::Freed || column == BufferColumn::Lifetime;
        return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && column == BufferColumn::Size)
        return exactBytesText(m_sources.store->sizeBytes[row]);
    if (role == Qt::ToolTipRole && column == BufferColumn::Place) return textOf(row, column);
    return {};
}

QVariant BufferTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (static_cast<BufferColumn>(section)) {
        case BufferColumn::Name:
            return tr("Buffer");
        case BufferColumn::Size:
            return tr("Size");
        case BufferColumn::Kind:
            return tr("Kind");
        case BufferColumn::Allocated:
            return tr("Allocated");
        case BufferColumn::Freed:
            return tr("Freed");
        case BufferColumn::Lifetime:
            return tr("Lived");
        case BufferColumn::Process:
            return tr("Process");
        case BufferColumn::Device:
            return tr("Device");
        case BufferColumn::Task:
            return tr("Owner");
        case BufferColumn::Place:
            return tr("Allocated by");
        case BufferColumn::Library:
            return tr("Library");
        case BufferColumn::Api:
            return tr("Call");
        case BufferColumn::Finding:
            return tr("Finding");
    }
    return {};
}

QString BufferTableModel::csv(int mostRows) const {
    QString text;
    const auto quoted = [](QString cell) {
        cell.replace(QLatin1Char('"'), QLatin1String("\"\""));
        return QLatin1Char('"') + cell + QLatin1Char('"');
    };
    for (int row = -1; row < std::min(rowCount(), mostRows); ++row) {
        for (int column = 0; column < kBufferColumns; ++column) {
            QString cell = row < 0 ? headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()
                                   : textOf(m_order->rows[static_cast<std::size_t>(row)],
                                            static_cast<BufferColumn>(column));
            if (row >= 0 && column == static_cast<int>(BufferColumn::Size))
                cell =
                    QString::number(m_sources.store->sizeBytes[m_order->rows[static_cast<std::size_t>(row)]]);
            text += (column ? QStringLiteral(",") : QString()) + quoted(cell);
        }
        text += QLatin1Char('\n');
    }
    return text;
}

}  // namespace vramscope::gui
