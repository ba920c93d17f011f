// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "samples/sim/allocations.h"
#include "samples/sim/free_ranges.h"

namespace vramscope::sim {

/// Smallest piece of a shared page, and the alignment of every allocation.
inline constexpr uint64_t kSmallUnitBytes = 512;

/// Physical pages of a device; before it gives up it lets the pools give back what they only cache. Null when
/// there is really too little, whoever holds it.
Pages takePages(CUdevice device, uint64_t sizeBytes);

/// Fresh addresses with pages of `device` behind them; an allocation with address 0 when either is short.
Allocation mapFresh(CUdevice device, uint64_t sizeBytes);
/// Unmaps and forgets what mapFresh() made. Its pages live on if somebody else holds them.
void unmapFresh(const Allocation& allocation);

/// Plain device allocations of one context, placed as the driver places them: from 2 MiB on whole pages of
/// their own, below that in pages that they share, so that a page goes back only when the last block in it is
/// freed.
class DeviceHeap {
public:
    explicit DeviceHeap(Context& context) : m_context(context) {}

    /// Enters a new allocation into the table of allocations; null when the device is full.
    Allocation* allocate(uint64_t sizeBytes, MemoryKind kind);
    /// Frees one of this heap's.
    void free(const Allocation& allocation);

private:
    struct SharedPage {
        Allocation page;
        FreeRanges free;
    };

    Allocation* allocateSmall(uint64_t sizeBytes, MemoryKind kind);

    Context& m_context;
    std::map<uint64_t, SharedPage> m_sharedPages;
    std::set<uint64_t> m_withRoom;  ///< addresses of shared pages that are not full
};

/// The heap of a context, made at first use and dropped with the context.
DeviceHeap& heapOf(Context& context);
void dropHeap(Context& context);

}  // namespace vramscope::sim
