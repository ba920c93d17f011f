// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/address_space.h"

#include <iterator>

namespace vramscope::collector {

std::vector<BufferPtr> AddressSpace::insert(const BufferPtr& buffer) {
    std::vector<BufferPtr> overlapped;
    auto at = m_live.lower_bound(buffer->address);
    if (at != m_live.begin() && std::prev(at)->second->end() > buffer->address) --at;
    while (at != m_live.end() && at->first < buffer->end()) {
        m_recent.forget(*at->second);
        overlapped.push_back(at->second);
        at = m_live.erase(at);
    }
    m_live.emplace_hint(at, buffer->address, buffer);
    return overlapped;
}

BufferPtr AddressSpace::liveAt(std::uint64_t address) const {
    const auto at = m_live.find(address);
    return at != m_live.end() ? at->second : nullptr;
}

std::vector<BufferPtr> AddressSpace::liveWithin(std::uint64_t begin, std::uint64_t end) const {
    std::vector<BufferPtr> found;
    for (auto at = m_live.lower_bound(begin); at != m_live.end() && at->first < end; ++at)
        found.push_back(at->second);
    return found;
}

void AddressSpace::retire(const BufferPtr& buffer) {
    const auto at = m_live.find(buffer->address);
    m_recent.forget(*buffer);
    if (at != m_live.end() && at->second == buffer) m_live.erase(at);
    m_dead.push_back(buffer);
    if (m_dead.size() <= kMostDead) return;
    m_dead.pop_front();
    ++m_forgottenEarly;
}

BufferRow* AddressSpace::liveHolding(std::uint64_t address) {
    if (BufferRow* recent = m_recent.find(address)) return recent;
    const auto at = m_live.upper_bound(address);
    if (at == m_live.begin()) return nullptr;
    BufferRow* live = std::prev(at)->second.get();
    if (address >= live->end()) return nullptr;
    m_recent.put(address, live);
    return live;
}

BufferRow* AddressSpace::find(std::uint64_t address, std::uint64_t timeTicks) {
    BufferRow* live = liveHolding(address);
    if (live != nullptr && live->allocTicks <= timeTicks) return live;
    // Latest death first; what died by then is behind the first that had.
    for (auto dead = m_dead.rbegin(); dead != m_dead.rend(); ++dead) {
        BufferRow* row = dead->get();
        if (row->freeTicks <= timeTicks) break;
        if (address >= row->address && address < row->end() && row->allocTicks <= timeTicks) return row;
    }
    return nullptr;
}

void AddressSpace::forgetDeadBefore(std::uint64_t timeTicks) {
    while (!m_dead.empty() && m_dead.front()->freeTicks < timeTicks)
        m_dead.pop_front();
}

}  // namespace vramscope::collector
