// SPDX-License-Identifier: Apache-2.0
#include "gui/models/buffer_table_model.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "gui/models/text.h"

namespace vramscope::gui {

BufferTableModel::BufferTableModel(QThreadPool& pool, QObject* parent)
    : QAbstractTableModel(parent), m_job(pool), m_restJob(pool) {}

void BufferTableModel::setSources(const BufferFilter::Sources& sources) {
    m_sources = sources;
    // What a sort or a filter is about to show comes page by page; so does what is the first.
    const bool isFresh = !m_shown.store || !sources.store || (m_job.isBusy() && !m_isReloading);
    if (isFresh) return renew();
    const bool isSameStore = m_shown.store == sources.store && m_shown.stacks == sources.stacks;
    if (!isSameStore || m_job.isBusy() || asksForFindings()) return reload();
    // Findings have come, which neither order nor filter asks about.
    m_shown = sources;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kBufferColumns - 1));
}

bool BufferTableModel::asksForFindings() const {
    return m_column == BufferColumn::Finding ||
           std::any_of(m_filter.terms.begin(), m_filter.terms.end(),
                       [](const FilterTerm& term) { return term.key == FilterKey::Finding; });
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
    m_isReloading = false;
    if (!m_sources.store || !m_sources.stacks) {
        m_job.cancel();
        show(m_sources, {});
        Q_EMIT orderChanged();
        return;
    }
    m_job.start(
        [sources = m_sources, selection = m_selection, filter = m_filter, column = m_column,
         direction = m_direction](const Cancel& cancel) {
            return firstPage(sources, BufferFilter(sources, filter, selection), column, direction, cancel);
        },
        [this, sources = m_sources](RowOrder order) {
            show(sources, std::move(order));
            Q_EMIT orderChanged();
            if (m_order->isSorted) return;
            m_restJob.start(
                [sources, order = m_order, column = m_column, direction = m_direction](const Cancel& cancel) {
                    return sortedFully(sources, *order, column, direction, cancel);
                },
                [this](RowOrder sorted) { showRest(std::move(sorted)); });
        });
}

void BufferTableModel::reload() {
    m_restJob.cancel();
    m_isReloading = true;
    m_job.start(
        [sources = m_sources, selection = m_selection, filter = m_filter, column = m_column,
         direction = m_direction](const Cancel& cancel) {
            const BufferFilter rows(sources, filter, selection);
            return sortedFully(sources, firstPage(sources, rows, column, direction, cancel), column,
                               direction, cancel);
        },
        [this, sources = m_sources](RowOrder order) {
            m_isReloading = false;
            Q_EMIT aboutToReload();
            show(sources, std::move(order));
            Q_EMIT reloaded();
        });
}

void BufferTableModel::show(const BufferFilter::Sources& sources, RowOrder order) {
    beginResetModel();
    m_shown = sources;
    m_order = std::make_shared<const RowOrder>(std::move(order));
    endResetModel();
}

void BufferTableModel::showRest(RowOrder order) {
    // The first page stays as it is; what is behind it moves.
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    const std::vector<int> rows = movedRows(order, before);
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after.append(index(rows[static_cast<std::size_t>(i)], before[i].column()));
    m_order = std::make_shared<const RowOrder>(std::move(order));
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
    Q_EMIT orderChanged();
}

std::vector<int> BufferTableModel::movedRows(const RowOrder& order, const QModelIndexList& indexes) const {
    std::unordered_map<Row, int> places;
    for (const QModelIndex& index : indexes)
        places.emplace(rowAt(index.row()), -1);
    std::vector<bool> isWanted(m_shown.store->rowCount());
    for (const auto& [row, place] : places)
        isWanted[row] = true;
    for (std::size_t i = 0; i < order.rows.size() && !places.empty(); ++i) {
        if (isWanted[order.rows[i]]) places[order.rows[i]] = static_cast<int>(i);
    }
    std::vector<int> rows;
    for (const QModelIndex& index : indexes)
        rows.push_back(places[rowAt(index.row())]);
    return rows;
}

model::BufferId BufferTableModel::bufferAt(int row) const {
    if (row < 0 || row >= rowCount()) return {};
    return {m_shown.store->idOf(rowAt(row))};
}

int BufferTableModel::rowOf(model::BufferId buffer) const {
    if (!m_shown.store || buffer.isNone()) return -1;
    const Row wanted = m_shown.store->rowOf(buffer);
    const auto at = std::find(m_order->rows.begin(), m_order->rows.end(), wanted);
    return at == m_order->rows.end() ? -1 : static_cast<int>(at - m_order->rows.begin());
}

std::vector<int> BufferTableModel::rowsOf(const std::vector<model::BufferId>& buffers) const {
    std::vector<int> rows(buffers.size(), -1);
    if (!m_shown.store || buffers.empty()) return rows;
    std::unordered_map<Row, int> places;
    std::vector<bool> isWanted(m_shown.store->rowCount() + std::size_t{1});
    for (const model::BufferId buffer : buffers)
        isWanted[m_shown.store->rowOf(buffer)] = true;
    for (std::size_t i = 0; i < m_order->rows.size(); ++i) {
        if (isWanted[m_order->rows[i]]) places.emplace(m_order->rows[i], static_cast<int>(i));
    }
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const auto at = places.find(m_shown.store->rowOf(buffers[i]));
        if (at != places.end()) rows[i] = at->second;
    }
    return rows;
}

std::int64_t BufferTableModel::hiddenCount() const {
    if (!m_shown.store) return 0;
    return static_cast<std::int64_t>(m_shown.store->bufferCount()) -
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
    const BufferStore& s = *m_shown.store;
    const model::Capture& facts = m_shown.stacks->facts();
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
            return toText(m_shown.stacks->placeOf(s.allocStack[row]));
        case BufferColumn::Library:
            return toText(m_shown.stacks->libraryOf(s.allocStack[row], {s.process[row]}));
        case BufferColumn::Api:
            return toText(s.apis.word(s.api[row]));
        case BufferColumn::Finding: {
            if (!m_shown.analysis) return {};
            const auto at = m_shown.analysis->findingOfBuffer.find(s.idOf(row));
            return at == m_shown.analysis->findingOfBuffer.end()
                       ? QString()
                       : toText(m_shown.analysis->findings[at->second].rule);
        }
    }
    return {};
}

QVariant BufferTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || !m_shown.store) return {};
    const Row row = rowAt(index.row());
    const auto column = static_cast<BufferColumn>(index.column());
    if (role == Qt::DisplayRole) return textOf(row, column);
    if (role == Qt::TextAlignmentRole) {
        const bool isNumber = column == BufferColumn::Size || column == BufferColumn::Allocated ||
                              column == BufferColumn::Freed || column == BufferColumn::Lifetime;
        return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && column == BufferColumn::Size)
        return exactBytesText(m_shown.store->sizeBytes[row]);
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
                                   : textOf(rowAt(row), static_cast<BufferColumn>(column));
            if (row >= 0 && column == static_cast<int>(BufferColumn::Size))
                cell = QString::number(m_shown.store->sizeBytes[rowAt(row)]);
            text += (column ? QStringLiteral(",") : QString()) + quoted(cell);
        }
        text += QLatin1Char('\n');
    }
    return text;
}

}  // namespace vramscope::gui
