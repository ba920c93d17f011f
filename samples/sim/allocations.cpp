// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/allocations.h"

#include <utility>

#include "samples/sim/machine.h"

namespace vramscope::sim {

Allocation& Allocations::add(Allocation allocation) {
    allocation.id = ++m_lastId;
    const uint64_t address = allocation.address;
    return m_byAddress[address] = std::move(allocation);
}

Allocation* Allocations::at(uint64_t address) {
    const auto found = m_byAddress.find(address);
    return found == m_byAddress.end() ? nullptr : &found->second;
}

Allocation* Allocations::holding(uint64_t address) {
    auto found = m_byAddress.upper_bound(address);
    if (found == m_byAddress.begin()) return nullptr;
    Allocation& allocation = (--found)->second;
    return address - allocation.address < allocation.sizeBytes ? &allocation : nullptr;
}

void Allocations::remove(uint64_t address) {
    const auto found = m_byAddress.find(address);
    if (found == m_byAddress.end()) return;
    if (found->second.offered) machine().file->withdraw(found->second.id);
    m_byAddress.erase(found);
}

bool Allocations::covers(uint64_t address, uint64_t sizeBytes) {
    while (true) {
        const Allocation* allocation = holding(address);
        if (!allocation) return false;
        const uint64_t restBytes = allocation->sizeBytes - (address - allocation->address);
        if (sizeBytes <= restBytes) return true;
        if (allocation->kind != MemoryKind::Mapping) return false;
        address += restBytes;
        sizeBytes -= restBytes;
    }
}

Allocations& allocations() {
    static Allocations* const instance = new Allocations;
    return *instance;
}

}  // namespace vramscope::sim
