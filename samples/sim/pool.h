// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "samples/sim/allocations.h"
#include "samples/sim/free_ranges.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {

/// A stream-ordered memory pool: one range of addresses that is backed by physical memory in chunks of 32 MiB
/// as blocks need it (a block may span chunks). A chunk without blocks is kept until a synchronisation finds
/// more kept than the release threshold allows. Sizes and steps as an H200 showed them. Guarded by the
/// driver's lock.
struct Pool {
    CUdevice device = 0;
    bool alive = true;
    bool isDefault = false;
    uint64_t maximumBytes = 0;  ///< 0: no limit
    uint64_t releaseThreshold = 0;
    int reuseFollowEvents = 1;
    int reuseOpportunistic = 1;
    int reuseInternal = 1;
    uint64_t usedBytes = 0;  ///< as asked for, not rounded
    uint64_t reservedBytes = 0;
    uint64_t usedHighBytes = 0;
    uint64_t reservedHighBytes = 0;

    uint64_t base = 0;                 ///< of the range; 0 before the first block
    std::map<uint64_t, Pages> chunks;  ///< backed chunks by address
    FreeRanges space;                  ///< addresses without a block, backed or not
    FreeRanges cached;                 ///< the backed part of them
    /// Freed in a stream's order, which has not come to it yet: free for later work of that stream only.
    struct PendingBlock {
        uint64_t address;
        uint64_t sizeBytes;
        Stream* stream;
        MarkPointer freed;
    };
    std::vector<PendingBlock> pending;
};

inline CUmemoryPool handleOf(Pool* pool) {
    return reinterpret_cast<CUmemoryPool>(pool);
}

Pool* newPool(CUdevice device);
/// The pool behind a handle; null for none or a destroyed one.
Pool* findPool(CUmemoryPool handle);
Pool& defaultPool(CUdevice device);
/// The pool that cuMemAllocAsync uses on the device now.
Pool& currentPool(CUdevice device);
void setCurrentPool(CUdevice device, Pool& pool);
void destroyPool(Pool& pool);

/// A block for work of `stream` from now on, entered into the table of allocations; null when the device or
/// the pool's limit is full.
Allocation* allocateFromPool(Pool& pool, uint64_t sizeBytes, Stream& stream);
/// Frees a block of a pool when `stream` comes to the end of what is in it now. The address is dead at once.
void freeToPool(const Allocation& allocation, Stream& stream);
/// Gives whole free chunks back to the device until at most `keepBytes` stay reserved.
void trimPool(Pool& pool, uint64_t keepBytes);
/// What a synchronisation does: trims every pool of the device to its release threshold.
void trimPoolsAfterSync(CUdevice device);
/// Frees all stream-ordered memory of a device, as the end of its primary context does.
void dropPoolMemory(CUdevice device);
/// Gives back everything that the device's pools cache; false when that was nothing.
bool releaseCachedPages(CUdevice device);

}  // namespace vramscope::sim
