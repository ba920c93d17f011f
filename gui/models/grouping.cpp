// SPDX-License-Identifier: Apache-2.0
#include "gui/models/grouping.h"

#include <QCoreApplication>
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Grouping", text);
}

struct Key {
    QString label;
    QString filter;
    std::int64_t bytesAtPeak = 0;
};

QString quoted(const QString& text) {
    return text.contains(QLatin1Char(' ')) ? QLatin1Char('"') + text + QLatin1Char('"') : text;
}

/// Gives every row the number of its key; keys are few, rows are many.
class KeyMaker {
public:
    KeyMaker(const BufferFilter::Sources& sources, GroupBy by) : m_sources(sources), m_by(by) {}

    std::uint32_t keyOf(Row row) {
        const BufferStore& s = *m_sources.store;
        const std::int64_t raw = rawKey(s, row);
        if (raw == m_lastRaw && !m_keys.empty()) return m_lastKey;
        m_lastRaw = raw;
        const auto at = m_byRaw.find(raw);
        m_lastKey = at != m_byRaw.end() ? at->second : m_byRaw.emplace(raw, keyNamed(row)).first->second;
        return m_lastKey;
    }
    std::vector<Key>& keys() { return m_keys; }

private:
    std::int64_t rawKey(const BufferStore& s, Row row) const {
        switch (m_by) {
            case GroupBy::Kind:
                return static_cast<std::int64_t>(s.kind[row]);
            case GroupBy::Process:
                return s.process[row];
            case GroupBy::Task:
                return s.task[row];
            case GroupBy::Size:
                return std::bit_width(static_cast<std::uint64_t>(s.sizeBytes[row]) >> 18U) / 3;
            case GroupBy::Stack:
                return s.allocStack[row];
            case GroupBy::Library:
                return s.allocStack[row] >= 0 ? s.allocStack[row] : -2 - std::int64_t{s.process[row]};
        }
        return 0;
    }

    std::uint32_t keyNamed(Row row) {
        const QString label = labelOf(row);
        const auto [at, isNew] =
            m_byLabel.emplace(label.toStdString(), static_cast<std::uint32_t>(m_keys.size()));
        if (isNew) m_keys.push_back({label, filterOf(row, label), 0});
        return at->second;
    }

    QString labelOf(Row row) const {
        const BufferStore& s = *m_sources.store;
        const model::Capture& facts = m_sources.stacks->facts();
        switch (m_by) {
            case GroupBy::Kind:
                return toText(model::description(s.kind[row]));
            case GroupBy::Process: {
                const model::Process* process = facts.processes.find({s.process[row]});
                if (!process) return tr("unknown process");
                if (process->rank) return tr("rank %1").arg(*process->rank);
                return tr("%1 (pid %2)").arg(toText(facts.programName(process->id))).arg(process->pid);
            }
            case GroupBy::Task:
                return toText(facts.taskName({s.task[row]}));
            case GroupBy::Stack:
                return toText(m_sources.stacks->placeOf(s.allocStack[row]));
            case GroupBy::Library:
                return toText(m_sources.stacks->libraryOf(s.allocStack[row], {s.process[row]}));
            case GroupBy::Size:
                switch (rawKey(s, row)) {
                    case 0:
                        return tr("below 1 MiB");
                    case 1:
                        return tr("1 to 8 MiB");
                    case 2:
                        return tr("8 to 64 MiB");
                    case 3:
                        return tr("64 to 512 MiB");
                    default:
                        return tr("512 MiB and more");
                }
        }
        return {};
    }

    QString filterOf(Row row, const QString& label) const {
        const BufferStore& s = *m_sources.store;
        switch (m_by) {
            case GroupBy::Kind:
                return QStringLiteral("kind:") + toText(formats::bufferKindName(s.kind[row]));
            case GroupBy::Library:
                return QStringLiteral("library:") + quoted(label);
            case GroupBy::Task:
                return QStringLiteral("task:") + quoted(label);
            default:
                return {};
        }
    }

    const BufferFilter::Sources& m_sources;
    GroupBy m_by;
    std::vector<Key> m_keys;
    std::unordered_map<std::int64_t, std::uint32_t> m_byRaw;
    std::unordered_map<std::string, std::uint32_t> m_byLabel;
    std::int64_t m_lastRaw = -1;
    std::uint32_t m_lastKey = 0;
};

constexpr std::uint32_t kNoKey = 0xffffffff;

void findPeak(const BufferStore& store, const std::vector<std::uint32_t>& keyOfRow, Grouping& grouping) {
    std::int64_t live = 0;
    for (const std::uint32_t event : store.events) {
        const Row row = event >> 1U;
        if (keyOfRow[row] == kNoKey) continue;
        live += (event & 1U) ? -store.sizeBytes[row] : store.sizeBytes[row];
        if (live > grouping.peakBytes) {
            grouping.peakBytes = live;
            grouping.peakNs = store.timeOfEvent(event);
        }
    }
}

}  // namespace

Grouping groupRows(const BufferFilter::Sources& sources, const BufferFilter& filter, GroupBy by,
                   model::DeviceId device, const Cancel& cancel) {
    const BufferStore& store = *sources.store;
    Grouping grouping;
    KeyMaker maker(sources, by);
    std::vector<std::uint32_t> keyOfRow(store.rowCount(), kNoKey);
    for (Row row = 0; row < store.rowCount(); ++row) {
        if ((row & 0xfffffU) == 0 && cancel.isRequested()) return grouping;
        if (!store.countsAsLive[row] || store.freeNs[row] <= store.allocNs[row]) continue;
        if (!device.isNone() && store.device[row] != device.value) continue;
        if (!filter.fits(row)) continue;
        keyOfRow[row] = maker.keyOf(row);
        ++grouping.countedRows;
    }
    findPeak(store, keyOfRow, grouping);
    std::vector<Key>& keys = maker.keys();
    for (Row row = 0; row < store.rowCount(); ++row) {
        if (keyOfRow[row] != kNoKey && store.isLiveAt(row, grouping.peakNs))
            keys[keyOfRow[row]].bytesAtPeak += store.sizeBytes[row];
    }
    std::vector<std::uint32_t> byBytes(keys.size());
    for (std::uint32_t i = 0; i < byBytes.size(); ++i)
        byBytes[i] = i;
    std::sort(byBytes.begin(), byBytes.end(), [&](std::uint32_t a, std::uint32_t b) {
        return keys[a].bytesAtPeak != keys[b].bytesAtPeak ? keys[a].bytesAtPeak > keys[b].bytesAtPeak
                                                          : keys[a].label < keys[b].label;
    });
    const std::size_t apart = keys.size() <= kMostGroups ? keys.size() : kMostGroups - 1;
    std::vector<std::uint8_t> groupOfKey(keys.size(), static_cast<std::uint8_t>(kMostGroups - 1));
    for (std::size_t i = 0; i < apart; ++i) {
        groupOfKey[byBytes[i]] = static_cast<std::uint8_t>(i);
        grouping.labels.push_back(keys[byBytes[i]].label);
        grouping.filters.push_back(keys[byBytes[i]].filter);
    }
    if (apart < keys.size()) {
        grouping.labels.push_back(tr("%1 others").arg(keys.size() - apart));
        grouping.filters.emplace_back();
    }
    grouping.groupOfRow.resize(store.rowCount(), kNoGroup);
    for (Row row = 0; row < store.rowCount(); ++row) {
        if (keyOfRow[row] != kNoKey) grouping.groupOfRow[row] = groupOfKey[keyOfRow[row]];
    }
    return grouping;
}

}  // namespace vramscope::gui
