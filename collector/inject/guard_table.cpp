// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/guard_table.h"

#include <sys/mman.h>

namespace vramscope::collector {

bool GuardTable::start(device::GuardSlot* slots) {
    void* memory = ::mmap(nullptr, std::size_t{2} * kPlaces * sizeof(GuardedBuffer), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    m_buffers = static_cast<GuardedBuffer*>(memory);
    m_slots = slots;
    return true;
}

GuardedBuffer* GuardTable::claim(bool isOrdered) {
    GuardedBuffer* range = m_buffers + (isOrdered ? kPlaces : 0);
    std::atomic<std::uint32_t>& end = m_ends[isOrdered ? 1 : 0];
    for (std::uint32_t i = 0; i < kPlaces; ++i) {
        std::uint64_t none = 0;
        if (range[i].address.load(std::memory_order_relaxed) != 0 ||
            !range[i].address.compare_exchange_strong(none, kTaken, std::memory_order_acquire)) {
            continue;
        }
        std::uint32_t known = end.load(std::memory_order_relaxed);
        while (known < i + 1 && !end.compare_exchange_weak(known, i + 1, std::memory_order_release)) {
        }
        return &range[i];
    }
    return nullptr;
}

GuardedBuffer* GuardTable::find(std::uint64_t address, bool isOrdered) {
    GuardedBuffer* range = m_buffers + (isOrdered ? kPlaces : 0);
    const std::uint32_t end = m_ends[isOrdered ? 1 : 0].load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < end; ++i) {
        if (range[i].address.load(std::memory_order_acquire) == address &&
            !range[i].isEnding.load(std::memory_order_relaxed)) {
            return &range[i];
        }
    }
    return nullptr;
}

void GuardTable::release(GuardedBuffer& buffer) {
    buffer.isEnding.store(false, std::memory_order_relaxed);
    buffer.address.store(0, std::memory_order_release);
}

}  // namespace vramscope::collector
