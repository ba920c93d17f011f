// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/live_table.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace vramscope::collector {

bool LiveTable::start() {
    void* memory = ::mmap(nullptr, kMostRanges * sizeof(LiveRange), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    m_ranges = static_cast<LiveRange*>(memory);
    return true;
}

std::size_t LiveTable::firstEndingBehind(std::uint64_t address) const {
    const LiveRange* found = std::partition_point(begin(), end(), [address](const LiveRange& range) {
        return range.begin + range.sizeBytes <= address;
    });
    return static_cast<std::size_t>(found - m_ranges);
}

void LiveTable::erase(std::size_t first, std::size_t last) {
    if (first == last) return;
    std::memmove(m_ranges + first, m_ranges + last, (m_count - last) * sizeof(LiveRange));
    m_count -= last - first;
    ++m_version;
}

void LiveTable::add(const LiveRange& range) {
    if (range.sizeBytes == 0) return;
    const std::size_t first = firstEndingBehind(range.begin);
    std::size_t last = first;
    while (last < m_count && m_ranges[last].begin < range.begin + range.sizeBytes)
        ++last;
    erase(first, last);
    if (m_count == kMostRanges) {
        ++m_lost;
        return;
    }
    std::memmove(m_ranges + first + 1, m_ranges + first, (m_count - first) * sizeof(LiveRange));
    m_ranges[first] = range;
    ++m_count;
    ++m_version;
}

void LiveTable::remove(std::uint64_t begin, std::uint64_t end, std::uint64_t ticks) {
    std::size_t at = firstEndingBehind(begin);
    while (at < m_count && m_ranges[at].begin < end) {
        if (m_ranges[at].begin >= begin && m_ranges[at].addedTicks < ticks) {
            erase(at, at + 1);
        } else {
            ++at;
        }
    }
}

}  // namespace vramscope::collector
