// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/ordering_clock.h"

#include <algorithm>

#include "analyzer/model/amounts.h"

namespace vramscope::model {
namespace {

constexpr auto kByStream = [](const auto& entry, StreamIndex stream) { return entry.first < stream; };

}  // namespace

std::uint64_t PartialClock::at(StreamIndex stream) const {
    const auto found = std::lower_bound(m_entries.begin(), m_entries.end(), stream, kByStream);
    return found != m_entries.end() && found->first == stream ? found->second : 0;
}

void PartialClock::raise(StreamIndex stream, std::uint64_t tick) {
    const auto found = std::lower_bound(m_entries.begin(), m_entries.end(), stream, kByStream);
    if (found != m_entries.end() && found->first == stream) {
        found->second = std::max(found->second, tick);
        return;
    }
    m_entries.insert(found, {stream, tick});
    giveUpIfTooLarge();
}

void PartialClock::join(const PartialClock& other) {
    m_unknownUntilNs = std::max(m_unknownUntilNs, other.m_unknownUntilNs);
    if (other.m_entries.empty()) return;
    std::vector<std::pair<StreamIndex, std::uint64_t>> merged;
    merged.reserve(m_entries.size() + other.m_entries.size());
    auto mine = m_entries.begin();
    auto theirs = other.m_entries.begin();
    while (mine != m_entries.end() && theirs != other.m_entries.end()) {
        if (mine->first < theirs->first) {
            merged.push_back(*mine++);
        } else if (theirs->first < mine->first) {
            merged.push_back(*theirs++);
        } else {
            merged.emplace_back(mine->first, std::max(mine->second, theirs->second));
            ++mine;
            ++theirs;
        }
    }
    merged.insert(merged.end(), mine, m_entries.end());
    merged.insert(merged.end(), theirs, other.m_entries.end());
    m_entries = std::move(merged);
    giveUpIfTooLarge();
}

void PartialClock::addUnknown(std::int64_t untilNs) {
    m_unknownUntilNs = std::max(m_unknownUntilNs, untilNs);
}

void PartialClock::clear() {
    m_entries.clear();
    m_unknownUntilNs = kNothingUnknown;
}

void PartialClock::giveUpIfTooLarge() {
    if (m_entries.size() <= kMostEntries) return;
    m_entries.clear();
    m_unknownUntilNs = kNever;
}

}  // namespace vramscope::model
