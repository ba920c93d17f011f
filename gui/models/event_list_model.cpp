// SPDX-License-Identifier: Apache-2.0
#include "gui/models/event_list_model.h"

#include <algorithm>
#include <limits>

#include "gui/models/text.h"
#include "gui/models/text_table.h"

namespace vramscope::gui {
namespace {

std::int64_t changeOf(const BufferStore& store, std::uint32_t event) {
    const Row row = event >> 1U;
    if (!store.countsAsLive[row]) return 0;
    return (event & 1U) ? -store.sizeBytes[row] : store.sizeBytes[row];
}

}  // namespace

EventListModel::EventListModel(QThreadPool& pool, QObject* parent)
    : QAbstractTableModel(parent), m_job(pool) {}

void EventListModel::setSources(const BufferFilter::Sources& sources) {
    m_sources = sources;
    renew();
}

void EventListModel::setSelection(const Selection& selection, const ParsedFilter& filter) {
    const bool isSame = selection.process == m_selection.process && selection.device == m_selection.device &&
                        selection.task == m_selection.task && filter.terms == m_filter.terms;
    m_selection = selection;
    m_filter = filter;
    if (!isSame) renew();
}

void EventListModel::renew() {
    if (!m_sources.store || !m_sources.stacks) {
        m_job.cancel();
        beginResetModel();
        m_shown = {};
        endResetModel();
        return;
    }
    m_job.start(
        [sources = m_sources, selection = m_selection, filter = m_filter](const Cancel& cancel) {
            const BufferFilter rows(sources, filter, selection);
            Shown shown;
            shown.isWhole = rows.isEverything();
            std::int64_t live = 0;
            std::size_t count = 0;
            for (const std::uint32_t event : sources.store->events) {
                if (count % 65536 == 0 && cancel.isRequested()) break;
                if (!rows.fits(event >> 1U)) continue;
                if (count++ % kLiveEvery == 0) shown.liveAfter.push_back(live);
                live += changeOf(*sources.store, event);
                if (!shown.isWhole) shown.events.push_back(event);
            }
            shown.events.shrink_to_fit();
            return shown;
        },
        [this](Shown shown) {
            beginResetModel();
            m_shown = std::move(shown);
            endResetModel();
        });
}

std::int64_t EventListModel::liveAfter(std::size_t position) const {
    std::int64_t live = m_shown.liveAfter[position / kLiveEvery];
    for (std::size_t i = position / kLiveEvery * kLiveEvery; i <= position; ++i)
        live += changeOf(*m_sources.store, events()[i]);
    return live;
}

model::BufferId EventListModel::bufferAt(int row) const {
    if (row < 0 || row >= rowCount()) return {};
    return {m_sources.store->idOf(events()[static_cast<std::size_t>(row)] >> 1U)};
}

std::int64_t EventListModel::timeAt(int row) const {
    if (row < 0 || row >= rowCount()) return 0;
    return m_sources.store->timeOfEvent(events()[static_cast<std::size_t>(row)]);
}

int EventListModel::rowAt(std::int64_t timeNs) const {
    const auto after = std::upper_bound(events().begin(), events().end(), timeNs,
                                        [this](std::int64_t time, std::uint32_t event) {
                                            return time < m_sources.store->timeOfEvent(event);
                                        });
    return static_cast<int>(after - events().begin()) - 1;
}

std::int64_t EventListModel::hiddenCount() const {
    if (!m_sources.store) return 0;
    return static_cast<std::int64_t>(m_sources.store->events.size()) -
           static_cast<std::int64_t>(events().size());
}

int EventListModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return static_cast<int>(std::min<std::size_t>(events().size(), std::numeric_limits<int>::max()));
}

int EventListModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant EventListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const auto position = static_cast<std::size_t>(index.row());
    const std::uint32_t event = events()[position];
    const Row row = event >> 1U;
    const BufferStore& s = *m_sources.store;
    const bool isFree = event & 1U;
    if (role == Qt::TextAlignmentRole) {
        const bool isNumber = index.column() == Time || index.column() == Size || index.column() == LiveAfter;
        return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == kExactRole) {
        const std::int64_t bytes = isFree ? -s.sizeBytes[row] : s.sizeBytes[row];
        if (index.column() == Time) return static_cast<qlonglong>(s.timeOfEvent(event));
        if (index.column() == Size) return static_cast<qlonglong>(bytes);
        if (index.column() == LiveAfter) return static_cast<qlonglong>(liveAfter(position));
        return {};
    }
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Time:
            return timeText(s.timeOfEvent(event), 1000);
        case What:
            if (!isFree) return toText(s.apis.word(s.api[row]));
            return s.endKind[row] == model::EndKind::Freed ? tr("free") : toText(model::name(s.endKind[row]));
        case Name:
            return toText(s.nameOf(row));
        case Size:
            return QString(QLatin1Char(isFree ? '-' : '+')) + bytesText(s.sizeBytes[row]);
        case LiveAfter:
            return bytesText(liveAfter(position));
        case Place:
            return toText(m_sources.stacks->placeOf(isFree ? s.freeStack[row] : s.allocStack[row]));
        default:
            return {};
    }
}

QVariant EventListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Time:
            return tr("Time");
        case What:
            return tr("Call");
        case Name:
            return tr("Buffer");
        case Size:
            return tr("Bytes");
        case LiveAfter:
            return tr("Live after it");
        case Place:
            return tr("From");
        default:
            return {};
    }
}

}  // namespace vramscope::gui
