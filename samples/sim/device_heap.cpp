// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/device_heap.h"

#include <memory>
#include <unordered_map>

#include "samples/sim/machine.h"
#include "samples/sim/pool.h"

namespace vramscope::sim {
namespace {

uint64_t roundUp(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

std::unordered_map<Context*, std::unique_ptr<DeviceHeap>>& heaps() {
    static auto* const instance = new std::unordered_map<Context*, std::unique_ptr<DeviceHeap>>;
    return *instance;
}

}  // namespace

Pages takePages(CUdevice device, uint64_t sizeBytes) {
    PhysicalMemory& physical = *machine().physical;
    if (Pages pages = physical.take(uint32_t(device), sizeBytes)) return pages;
    if (!releaseCachedPages(device)) return nullptr;
    return physical.take(uint32_t(device), sizeBytes);
}

Allocation mapFresh(CUdevice device, uint64_t sizeBytes) {
    Allocation result;
    result.device = device;
    result.sizeBytes = sizeBytes;
    if (sizeBytes > machine().file->memoryBytes()) return result;
    result.reservedBytes = roundUp(sizeBytes, kPageBytes);
    result.pages = takePages(device, result.reservedBytes);
    if (!result.pages) return result;
    const uint64_t address = machine().addresses->reserve(result.reservedBytes);
    if (!address) return result;
    if (!machine().addresses->map(address, *machine().file, *result.pages, 0, result.pages->pages().size(),
                                  Protection::ReadWrite)) {
        machine().addresses->release(address, result.reservedBytes);
        return result;
    }
    result.address = address;
    return result;
}

void unmapFresh(const Allocation& allocation) {
    machine().addresses->unmap(allocation.address, allocation.reservedBytes);
    machine().addresses->release(allocation.address, allocation.reservedBytes);
}

Allocation* DeviceHeap::allocate(uint64_t sizeBytes, MemoryKind kind) {
    if (sizeBytes < kPageBytes) return allocateSmall(sizeBytes, kind);
    Allocation allocation = mapFresh(m_context.device, sizeBytes);
    if (!allocation.address) return nullptr;
    allocation.kind = kind;
    allocation.context = &m_context;
    return &allocations().add(std::move(allocation));
}

Allocation* DeviceHeap::allocateSmall(uint64_t sizeBytes, MemoryKind kind) {
    const uint64_t roomBytes = roundUp(sizeBytes, kSmallUnitBytes);
    Allocation allocation;
    for (uint64_t pageAddress : m_withRoom) {
        if (const auto address = m_sharedPages.at(pageAddress).free.take(roomBytes, kSmallUnitBytes)) {
            allocation.address = *address;
            break;
        }
    }
    if (!allocation.address) {
        SharedPage shared{mapFresh(m_context.device, kPageBytes), {}};
        if (!shared.page.address) return nullptr;
        shared.free.give(shared.page.address, kPageBytes);
        allocation.address = *shared.free.take(roomBytes, kSmallUnitBytes);
        const uint64_t pageAddress = shared.page.address;
        m_sharedPages.emplace(pageAddress, std::move(shared));
        m_withRoom.insert(pageAddress);
    }
    const uint64_t pageAddress = allocation.address / kPageBytes * kPageBytes;
    const SharedPage& shared = m_sharedPages.at(pageAddress);
    if (!shared.free.freeBytes()) m_withRoom.erase(pageAddress);
    allocation.sizeBytes = sizeBytes;
    allocation.kind = kind;
    allocation.context = &m_context;
    allocation.device = m_context.device;
    allocation.pages = shared.page.pages;
    return &allocations().add(std::move(allocation));
}

void DeviceHeap::free(const Allocation& allocation) {
    const uint64_t address = allocation.address;
    if (allocation.reservedBytes) {
        unmapFresh(allocation);
    } else {
        const uint64_t pageAddress = address / kPageBytes * kPageBytes;
        SharedPage& shared = m_sharedPages.at(pageAddress);
        shared.free.give(address, roundUp(allocation.sizeBytes, kSmallUnitBytes));
        m_withRoom.insert(pageAddress);
        if (shared.free.freeBytes() == kPageBytes) {
            unmapFresh(shared.page);
            m_withRoom.erase(pageAddress);
            m_sharedPages.erase(pageAddress);
        }
    }
    allocations().remove(address);
}

DeviceHeap& heapOf(Context& context) {
    auto& heap = heaps()[&context];
    if (!heap) heap = std::make_unique<DeviceHeap>(context);
    return *heap;
}

void dropHeap(Context& context) {
    std::vector<uint64_t> mine;
    for (const auto& [address, allocation] : allocations()) {
        if (allocation.context != &context) continue;
        if (allocation.kind == MemoryKind::Device || allocation.kind == MemoryKind::Managed ||
            allocation.kind == MemoryKind::Array) {
            mine.push_back(address);
        }
    }
    for (uint64_t address : mine)
        heapOf(context).free(*allocations().at(address));
    heaps().erase(&context);
}

}  // namespace vramscope::sim
