// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/watch_table.h"

#include <sys/mman.h>

namespace vramscope::collector {

namespace {

void raise(std::atomic<std::uint32_t>& end, std::uint32_t atLeast) {
    std::uint32_t known = end.load(std::memory_order_relaxed);
    while (known < atLeast && !end.compare_exchange_weak(known, atLeast, std::memory_order_release)) {
    }
}

}  // namespace

bool WatchTable::start() {
    void* memory = ::mmap(nullptr, kPlaces * sizeof(KnownBuffer), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    m_buffers = static_cast<KnownBuffer*>(memory);
    return true;
}

KnownBuffer* WatchTable::claim() {
    for (std::uint32_t i = 0; i < kPlaces; ++i) {
        std::uint64_t none = 0;
        if (m_buffers[i].address.load(std::memory_order_relaxed) != 0 ||
            !m_buffers[i].address.compare_exchange_strong(none, kTaken, std::memory_order_acquire)) {
            continue;
        }
        raise(m_end, i + 1);
        return &m_buffers[i];
    }
    return nullptr;
}

KnownBuffer* WatchTable::find(std::uint64_t address) {
    const std::uint32_t end = m_end.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; address > kTaken && i < end; ++i) {
        if (m_buffers[i].address.load(std::memory_order_acquire) == address) return &m_buffers[i];
    }
    return nullptr;
}

KnownBuffer* WatchTable::holding(std::uint64_t address) {
    const std::uint32_t end = m_end.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < end; ++i) {
        const std::uint64_t first = m_buffers[i].address.load(std::memory_order_acquire);
        if (first > kTaken && address >= first && address - first < m_buffers[i].sizeBytes)
            return &m_buffers[i];
    }
    return nullptr;
}

bool WatchTable::watch(KnownBuffer& buffer) {
    if (buffer.isWatched.exchange(true)) return true;
    const auto place = static_cast<std::uint32_t>(&buffer - m_buffers) + 1;
    for (std::uint32_t i = 0; i < kMostWatched; ++i) {
        std::uint32_t none = 0;
        if (!m_watched[i].compare_exchange_strong(none, place, std::memory_order_release)) continue;
        raise(m_watchedEnd, i + 1);
        return true;
    }
    buffer.isWatched.store(false);
    return false;
}

void WatchTable::release(KnownBuffer& buffer) {
    const auto place = static_cast<std::uint32_t>(&buffer - m_buffers) + 1;
    const std::uint32_t end = m_watchedEnd.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; buffer.isWatched.load() && i < end; ++i) {
        std::uint32_t mine = place;
        if (m_watched[i].compare_exchange_strong(mine, 0)) break;
    }
    buffer.isWatched.store(false);
    buffer.address.store(0, std::memory_order_seq_cst);
}

}  // namespace vramscope::collector
