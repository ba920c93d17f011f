// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/address_filter.h"

#include <sys/mman.h>

#include "collector/inject/hot_data.h"

namespace vramscope::collector {

void AddressFilter::add(std::uint64_t address, std::uint64_t sizeBytes) {
    constexpr std::uint64_t kEnd = 1ull << kAddressBits;
    if (sizeBytes == 0 || address >= kEnd) return;
    const std::uint64_t last = sizeBytes > kEnd - address ? kEnd - 1 : address + sizeBytes - 1;
    const std::uint64_t first = address >> kPageBits << kPageBits;
    std::uint64_t lowest = m_lowest.load(std::memory_order_relaxed);
    while (first < lowest && !m_lowest.compare_exchange_weak(lowest, first, std::memory_order_relaxed)) {
    }
    for (std::uint64_t page = first == 0 ? 1 : first >> kPageBits; page <= last >> kPageBits; ++page) {
        m_pages[page].store(1, std::memory_order_relaxed);
    }
}

bool prepareAddressFilter() {
    constexpr std::size_t kBytes = std::size_t{1} << (AddressFilter::kAddressBits - AddressFilter::kPageBits);
    void* memory =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    g_hot.addressFilter.m_pages = static_cast<std::atomic<std::uint8_t>*>(memory);
    g_hot.addressFilter.m_lowest.store(std::uint64_t{1} << AddressFilter::kAddressBits,
                                       std::memory_order_relaxed);
    return true;
}

}  // namespace vramscope::collector
