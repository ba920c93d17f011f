// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/pool.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "samples/sim/device_heap.h"
#include "samples/sim/machine.h"

namespace vramscope::sim {
namespace {

constexpr uint64_t kSegmentBytes = 32ull << 20;

struct Pools {
    std::vector<Pool*> all;
    std::unordered_map<CUdevice, Pool*> defaults;
    std::unordered_map<CUdevice, Pool*> current;
};

Pools& pools() {
    static Pools* const instance = new Pools;
    return *instance;
}

uint64_t roundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

Pool::Segment& segmentOf(Pool& pool, uint64_t address) { return std::prev(pool.segments.upper_bound(address))->second; }

/// Makes blocks free for everybody once their streams have come to the free.
void settle(Pool& pool) {
    std::erase_if(pool.pending, [&](const Pool::PendingBlock& block) {
        if (!block.freed->done) return false;
        segmentOf(pool, block.address).free.give(block.address, block.sizeBytes);
        return true;
    });
}

uint64_t takeFree(Pool& pool, uint64_t sizeBytes, const Stream& stream) {
    // The stream's own pending blocks first: its order makes them free for it without waiting.
    for (auto block = pool.pending.begin(); block != pool.pending.end(); ++block) {
        if (block->stream != &stream || block->sizeBytes < sizeBytes) continue;
        const uint64_t address = block->address;
        block->address += sizeBytes;
        block->sizeBytes -= sizeBytes;
        if (!block->sizeBytes) pool.pending.erase(block);
        return address;
    }
    for (auto& [start, segment] : pool.segments) {
        if (const auto address = segment.free.take(sizeBytes, kSmallUnitBytes)) return *address;
    }
    return 0;
}

bool isUnused(const Pool::Segment& segment) { return segment.free.freeBytes() == segment.memory.reservedBytes; }

bool grow(Pool& pool, uint64_t sizeBytes) {
    const uint64_t segmentBytes = roundUp(sizeBytes, kSegmentBytes);
    if (pool.maximumBytes && pool.reservedBytes + segmentBytes > roundUp(pool.maximumBytes, kSegmentBytes)) {
        trimPool(pool, 0);
        if (pool.reservedBytes + segmentBytes > roundUp(pool.maximumBytes, kSegmentBytes)) return false;
    }
    // takePages() behind this takes back whole free segments, this pool's too: holes between segments do not matter.
    Allocation memory = mapFresh(pool.device, segmentBytes);
    if (!memory.address) return false;
    const uint64_t address = memory.address;
    pool.segments[address] = {std::move(memory), FreeRanges(address, segmentBytes)};
    pool.reservedBytes += segmentBytes;
    pool.reservedHighBytes = std::max(pool.reservedHighBytes, pool.reservedBytes);
    return true;
}

}  // namespace

Pool* newPool(CUdevice device) {
    auto* pool = new Pool;
    pool->device = device;
    pools().all.push_back(pool);
    return pool;
}

Pool* findPool(CUmemoryPool handle) {
    auto* pool = reinterpret_cast<Pool*>(handle);
    const auto& all = pools().all;
    return std::find(all.begin(), all.end(), pool) != all.end() && pool->alive ? pool : nullptr;
}

Pool& defaultPool(CUdevice device) {
    Pool*& pool = pools().defaults[device];
    if (!pool) {
        pool = newPool(device);
        pool->isDefault = true;
    }
    return *pool;
}

Pool& currentPool(CUdevice device) {
    Pool* pool = pools().current[device];
    return pool && pool->alive ? *pool : defaultPool(device);
}

void setCurrentPool(CUdevice device, Pool& pool) { pools().current[device] = &pool; }

void destroyPool(Pool& pool) {
    pool.alive = false;  // blocks in use stay usable; the last one freed takes the memory with it
    trimPool(pool, 0);
}

Allocation* allocateFromPool(Pool& pool, uint64_t sizeBytes, Stream& stream) {
    const uint64_t blockBytes = roundUp(sizeBytes, kSmallUnitBytes);
    settle(pool);
    uint64_t address = takeFree(pool, blockBytes, stream);
    if (!address && grow(pool, blockBytes)) address = takeFree(pool, blockBytes, stream);
    if (!address) return nullptr;
    pool.usedBytes += blockBytes;
    pool.usedHighBytes = std::max(pool.usedHighBytes, pool.usedBytes);
    Allocation allocation;
    allocation.address = address;
    allocation.sizeBytes = sizeBytes;
    allocation.kind = MemoryKind::Pool;
    allocation.device = pool.device;
    allocation.pool = &pool;
    return &allocations().add(std::move(allocation));
}

void freeToPool(const Allocation& allocation, Stream& stream) {
    Pool& pool = *allocation.pool;
    const uint64_t blockBytes = roundUp(allocation.sizeBytes, kSmallUnitBytes);
    pool.usedBytes -= blockBytes;
    const uint64_t address = allocation.address;
    Work free;
    free.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
    pool.pending.push_back({address, blockBytes, &stream, enqueue(stream, std::move(free))});
    allocations().remove(address);
}

void trimPool(Pool& pool, uint64_t keepBytes) {
    settle(pool);
    for (auto segment = pool.segments.begin(); segment != pool.segments.end() && pool.reservedBytes > keepBytes;) {
        const uint64_t segmentBytes = segment->second.memory.reservedBytes;
        if (!isUnused(segment->second) || pool.reservedBytes - segmentBytes < keepBytes) {
            ++segment;
            continue;
        }
        unmapFresh(segment->second.memory);
        pool.reservedBytes -= segmentBytes;
        segment = pool.segments.erase(segment);
    }
}

void trimPoolsAfterSync(CUdevice device) {
    for (Pool* pool : pools().all) {
        if (pool->device == device) trimPool(*pool, pool->alive ? pool->releaseThreshold : 0);
    }
}

void dropPoolMemory(CUdevice device) {
    std::vector<uint64_t> mine;
    for (const auto& [address, allocation] : allocations()) {
        if (allocation.kind == MemoryKind::Pool && allocation.device == device) mine.push_back(address);
    }
    for (uint64_t address : mine) {
        const Allocation& block = *allocations().at(address);
        const uint64_t blockBytes = roundUp(block.sizeBytes, kSmallUnitBytes);
        block.pool->usedBytes -= blockBytes;
        segmentOf(*block.pool, address).free.give(address, blockBytes);
        allocations().remove(address);
    }
    releaseCachedPages(device);
}

bool releaseCachedPages(CUdevice device) {
    bool released = false;
    for (Pool* pool : pools().all) {
        if (pool->device != device) continue;
        const uint64_t before = pool->reservedBytes;
        trimPool(*pool, 0);
        released = released || pool->reservedBytes < before;
    }
    return released;
}

}  // namespace vramscope::sim
