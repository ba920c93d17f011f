// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "samples/sim/context.h"
#include "samples/sim/physical_memory.h"

namespace vramscope::sim {

struct Pool;

enum class MemoryKind {
    Device,
    Managed,
    PinnedHost,
    RegisteredHost,
    Pool,
    Mapping,
    Array,
    IpcImport,
    Module,
    Graph
};

/// One live allocation, whatever call made it.
struct Allocation {
    uint64_t address = 0;
    uint64_t sizeBytes = 0;  ///< as asked for
    MemoryKind kind = MemoryKind::Device;
    Context* context = nullptr;  ///< null for what outlives contexts (pools)
    CUdevice device = 0;
    uint64_t id = 0;  ///< never used twice in a process
    Pages pages;      ///< null for host memory and for parts of a pool
    Pool* pool = nullptr;
    unsigned int flags = 0;      ///< of host memory: as given
    bool offered = false;        ///< to other processes, under its id
    uint64_t reservedBytes = 0;  ///< of address space, from `address`; 0 for parts of something larger
};

/// The table of live allocations of this process, by address. Guarded by the driver's lock.
class Allocations {
public:
    Allocation& add(Allocation allocation);
    /// The allocation that begins at `address`; null when there is none.
    Allocation* at(uint64_t address);
    /// The allocation that holds `address`.
    Allocation* holding(uint64_t address);
    /// Forgets an allocation and ends what was offered of it to other processes.
    void remove(uint64_t address);

    /// True when [address, address + size) is one allocation's or a run of adjacent mappings.
    bool covers(uint64_t address, uint64_t sizeBytes);

    auto begin() { return m_byAddress.begin(); }
    auto end() { return m_byAddress.end(); }

private:
    std::map<uint64_t, Allocation> m_byAddress;
    uint64_t m_lastId = 0;
};

Allocations& allocations();

}  // namespace vramscope::sim
