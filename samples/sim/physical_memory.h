// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "samples/sim/device_file.h"

namespace vramscope::sim {

class PhysicalMemory;

/// Physical pages that live as long as somebody in this process (a mapping, a handle, an import) points at
/// them.
class PageSet {
public:
    PageSet(PhysicalMemory& memory, uint32_t device, std::vector<PageIndex> pages);
    ~PageSet();
    PageSet(const PageSet&) = delete;
    PageSet& operator=(const PageSet&) = delete;

    uint32_t device() const { return m_device; }
    const std::vector<PageIndex>& pages() const { return m_pages; }
    uint64_t sizeBytes() const { return m_pages.size() * kPageBytes; }

private:
    PhysicalMemory& m_memory;
    uint32_t m_device;
    std::vector<PageIndex> m_pages;
};

using Pages = std::shared_ptr<const PageSet>;

/// This process's share of the devices' pages. Only totals count: any free pages serve any request. Not
/// thread-safe within the process (the driver's lock guards it); safe against other processes.
class PhysicalMemory {
public:
    explicit PhysicalMemory(DeviceFile& file) : m_file(file) {}

    /// Takes pages for `sizeBytes`, rounded up; null when the device has too few, whoever holds them.
    Pages take(uint32_t device, uint64_t sizeBytes);
    /// Holds what another process offers; null when the offer is gone.
    Pages takeUp(pid_t pid, uint64_t id, Offer& offer);

    DeviceFile& file() { return m_file; }

private:
    friend class PageSet;
    static uint64_t key(uint32_t device, PageIndex page) { return uint64_t(device) << 32 | page; }

    DeviceFile& m_file;
    std::unordered_map<uint64_t, uint32_t> m_references;
};

}  // namespace vramscope::sim
