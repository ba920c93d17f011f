// SPDX-License-Identifier: Apache-2.0
#include "gui/models/grouping.h"

#include <QCoreApplication>
#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "gui/models/lane_fold.h"
#include "gui/models/phase_names.h"
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
    KeyMaker(const BufferFilter::Sources& sources, GroupBy by) : m_sources(sources), m_by(by) {
        if (by == GroupBy::Phase) m_phases.emplace(sources.stacks->facts());
        if (by == GroupBy::Name && sources.analysis && sources.analysis->capture) collectNames();
    }

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
            case GroupBy::Phase:
                return m_phases->at(s.process[row], s.allocNs[row]);
            case GroupBy::Call:
                return s.api[row];
            case GroupBy::Name: {
                const auto at = m_nameOfBuffer.find(s.idOf(row));
                return at == m_nameOfBuffer.end() ? -2 : at->second;
            }
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
            case GroupBy::Phase: {
                const std::int32_t phase = m_phases->at(s.process[row], s.allocNs[row]);
                return phase < 0 ? tr("outside of all steps") : toText(m_phases->name(phase));
            }
            case GroupBy::Call:
                return toText(s.apis.word(s.api[row]));
            case GroupBy::Name: {
                const std::int64_t name = rawKey(s, row);
                return name < 0 ? tr("not named") : toText(m_names[static_cast<std::size_t>(name)]);
            }
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
            case GroupBy::Call:
                return label.isEmpty() ? QString() : QStringLiteral("api:") + quoted(label);
            default:
                return {};
        }
    }

    /// What the program called its buffers, up to the first dot: "gen.fc.weight" is one of "gen".
    void collectNames() {
        std::unordered_map<std::string_view, std::int64_t> numbers;
        for (const model::SubBuffer& piece : m_sources.analysis->capture->subBuffers) {
            const std::string_view name = piece.name.substr(0, piece.name.find('.'));
            if (name.empty()) continue;
            const auto [at, isNew] = numbers.emplace(name, static_cast<std::int64_t>(m_names.size()));
            if (isNew) m_names.push_back(name);
            m_nameOfBuffer.emplace(piece.bufferId.value, at->second);
        }
    }

    const BufferFilter::Sources& m_sources;
    GroupBy m_by;
    std::optional<PhaseNames> m_phases;
    std::vector<std::string_view> m_names;
    std::unordered_map<std::int64_t, std::int64_t> m_nameOfBuffer;
    std::vector<Key> m_keys;
    std::unordered_map<std::int64_t, std::uint32_t> m_byRaw;
    std::unordered_map<std::string, std::uint32_t> m_byLabel;
    std::int64_t m_lastRaw = 0;
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

/// Which keys are drawn apart, by their positions in the order of bytes. Ranks do much the same: of many of
/// them those that differ are of interest, of anything else the largest.
Fold foldKeys(const std::vector<Key>& keys, const std::vector<std::uint32_t>& byBytes, GroupBy by) {
    std::vector<std::int64_t> peaks;
    for (const std::uint32_t key : byBytes)
        peaks.push_back(keys[key].bytesAtPeak);
    if (by == GroupBy::Process) return foldByPeak(peaks, kMostRanksApart);
    Fold fold;
    const std::size_t apart = peaks.size() <= kMostGroups ? peaks.size() : kMostGroups - 1;
    for (std::size_t i = 0; i < peaks.size(); ++i)
        (i < apart ? fold.apart : fold.folded).push_back(i);
    if (fold.folded.empty()) return fold;
    fold.median = fold.folded[fold.folded.size() / 2];
    fold.leastBytes = peaks.back();
    fold.mostBytes = peaks[apart];
    return fold;
}

QString foldedLabel(const Fold& fold, const Key& median, GroupBy by) {
    const QString count = countText(static_cast<std::int64_t>(fold.folded.size()));
    if (by == GroupBy::Process)
        return tr("%1 like %2: %3 to %4 each")
            .arg(count, median.label, bytesText(fold.leastBytes), bytesText(fold.mostBytes));
    return tr("%1 others, up to %2 each").arg(count, bytesText(fold.mostBytes));
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
    const Fold fold = foldKeys(keys, byBytes, by);
    const std::size_t apart = fold.apart.size();
    std::vector<std::uint8_t> groupOfKey(keys.size(), static_cast<std::uint8_t>(apart));
    for (std::size_t i = 0; i < apart; ++i) {
        const Key& key = keys[byBytes[fold.apart[i]]];
        groupOfKey[byBytes[fold.apart[i]]] = static_cast<std::uint8_t>(i);
        grouping.labels.push_back(key.label);
        grouping.filters.push_back(key.filter);
    }
    if (!fold.folded.empty()) {
        grouping.foldedGroup = static_cast<int>(apart);
        grouping.labels.push_back(foldedLabel(fold, keys[byBytes[fold.median]], by));
        grouping.filters.emplace_back();
    }
    grouping.groupOfRow.resize(store.rowCount(), kNoGroup);
    for (Row row = 0; row < store.rowCount(); ++row) {
        if (keyOfRow[row] != kNoKey) grouping.groupOfRow[row] = groupOfKey[keyOfRow[row]];
    }
    return grouping;
}

}  // namespace vramscope::gui
