// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/physical_memory.h"

#include <utility>

namespace vramscope::sim {

PageSet::PageSet(PhysicalMemory& memory, uint32_t device, std::vector<PageIndex> pages)
    : m_memory(memory), m_device(device), m_pages(std::move(pages)) {
    for (PageIndex page : m_pages)
        ++m_memory.m_references[PhysicalMemory::key(m_device, page)];
}

PageSet::~PageSet() {
    std::vector<PageIndex> last;
    for (PageIndex page : m_pages) {
        const auto entry = m_memory.m_references.find(PhysicalMemory::key(m_device, page));
        if (--entry->second > 0) continue;
        m_memory.m_references.erase(entry);
        last.push_back(page);
    }
    m_memory.m_file.give(m_device, last);
}

Pages PhysicalMemory::take(uint32_t device, uint64_t sizeBytes) {
    const uint64_t count = sizeBytes / kPageBytes + (sizeBytes % kPageBytes != 0);
    if (count > m_file.memoryBytes() / kPageBytes) return nullptr;
    std::vector<PageIndex> pages = m_file.take(device, count);
    if (pages.empty()) return nullptr;
    return std::make_shared<const PageSet>(*this, device, std::move(pages));
}

Pages PhysicalMemory::takeUp(pid_t pid, uint64_t id, Offer& offer) {
    std::vector<PageIndex> pages;
    if (!m_file.takeUp(pid, id, offer, pages)) return nullptr;
    return std::make_shared<const PageSet>(*this, offer.device, std::move(pages));
}

}  // namespace vramscope::sim
