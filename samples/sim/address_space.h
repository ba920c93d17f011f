// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "samples/sim/free_ranges.h"
#include "samples/sim/physical_memory.h"

namespace vramscope::sim {

/// How a mapped range may be used.
enum class Protection { None, Read, ReadWrite };

/// The device addresses of this process: one window high in the address space, shared by all devices (unified
/// addressing). Reserved addresses fault until pages are mapped behind them. Not thread-safe.
class AddressSpace {
public:
    /// Null when the window cannot be reserved (an address-space limit).
    static std::unique_ptr<AddressSpace> create();
    ~AddressSpace();

    /// Reserves `sizeBytes` (a multiple of kPageBytes), at `wanted` if that is free; 0 when the window is
    /// full.
    uint64_t reserve(uint64_t sizeBytes, uint64_t alignment = kPageBytes, uint64_t wanted = 0);
    void release(uint64_t address, uint64_t sizeBytes);

    /// Maps pages [first, first + count) of `pages` at `address`; false when the system has no mappings left.
    bool map(uint64_t address, DeviceFile& file, const PageSet& pages, size_t first, size_t count,
             Protection protection);
    /// Changes what may be done with mapped pages; false as for map().
    bool protect(uint64_t address, uint64_t sizeBytes, Protection protection);
    void unmap(uint64_t address, uint64_t sizeBytes);

    bool contains(uint64_t address) const { return address - m_base < m_sizeBytes; }

private:
    AddressSpace(uint64_t base, uint64_t sizeBytes)
        : m_base(base), m_sizeBytes(sizeBytes), m_free(base, sizeBytes) {}

    uint64_t m_base;
    uint64_t m_sizeBytes;
    FreeRanges m_free;
};

}  // namespace vramscope::sim
