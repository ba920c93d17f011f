// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/free_ranges.h"

#include <algorithm>

namespace vramscope::sim {

std::optional<uint64_t> FreeRanges::take(uint64_t size, uint64_t alignment) {
    for (auto part = m_sizeByStart.begin(); part != m_sizeByStart.end(); ++part) {
        const uint64_t start = (part->first + alignment - 1) & ~(alignment - 1);
        if (start - part->first > part->second || part->second - (start - part->first) < size) continue;
        cut(part, start, size);
        return start;
    }
    return std::nullopt;
}

bool FreeRanges::takeAt(uint64_t start, uint64_t size) {
    auto part = m_sizeByStart.upper_bound(start);
    if (part == m_sizeByStart.begin()) return false;
    --part;
    if (part->first + part->second < start + size) return false;
    cut(part, start, size);
    return true;
}

void FreeRanges::cut(std::map<uint64_t, uint64_t>::iterator part, uint64_t start, uint64_t size) {
    const uint64_t partStart = part->first;
    const uint64_t partEnd = partStart + part->second;
    m_sizeByStart.erase(part);
    if (start > partStart) m_sizeByStart[partStart] = start - partStart;
    if (partEnd > start + size) m_sizeByStart[start + size] = partEnd - start - size;
    m_freeBytes -= size;
}

void FreeRanges::give(uint64_t start, uint64_t size) {
    m_freeBytes += size;
    auto next = m_sizeByStart.lower_bound(start);
    if (next != m_sizeByStart.end() && next->first == start + size) {
        size += next->second;
        next = m_sizeByStart.erase(next);
    }
    if (next != m_sizeByStart.begin()) {
        auto previous = std::prev(next);
        if (previous->first + previous->second == start) {
            previous->second += size;
            return;
        }
    }
    m_sizeByStart[start] = size;
}

uint64_t FreeRanges::largest() const {
    uint64_t largest = 0;
    for (const auto& [start, size] : m_sizeByStart)
        largest = std::max(largest, size);
    return largest;
}

}  // namespace vramscope::sim
