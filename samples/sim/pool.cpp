// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/pool.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "samples/sim/device_heap.h"
#include "samples/sim/machine.h"

namespace vramscope::sim {
namespace {

constexpr uint64_t kChunkBytes = 32ull << 20;
// Blocks and holes together may need more addresses than there is memory.
constexpr uint64_t kRangeFactor = 2;

struct Pools {
    std::vector<Pool*> all;
    std::unordered_map<CUdevice, Pool*> defaults;
    std::unordered_map<CUdevice, Pool*> current;
};

Pools& pools() {
    static Pools* const instance = new Pools;
    return *instance;
}

uint64_t roundUp(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

void giveBack(Pool& pool, uint64_t address, uint64_t sizeBytes) {
    pool.space.give(address, sizeBytes);
    pool.cached.give(address, sizeBytes);
}

/// Makes blocks free for everybody once their streams have come to the free.
void settle(Pool& pool) {
    std::erase_if(pool.pending, [&](const Pool::PendingBlock& block) {
        if (!block.freed->done) return false;
        giveBack(pool, block.address, block.sizeBytes);
        return true;
    });
}

/// A block that the stream itself has freed: its order makes it free for the stream without waiting.
uint64_t takePending(Pool& pool, uint64_t sizeBytes, const Stream& stream) {
    for (auto block = pool.pending.begin(); block != pool.pending.end(); ++block) {
        if (block->stream != &stream || block->sizeBytes < sizeBytes) continue;
        const uint64_t address = block->address;
        block->address += sizeBytes;
        block->sizeBytes -= sizeBytes;
        if (!block->sizeBytes) pool.pending.erase(block);
        return address;
    }
    return 0;
}

bool reserveRange(Pool& pool) {
    if (pool.base) return true;
    const uint64_t sizeBytes = roundUp(machine().file->memoryBytes() * kRangeFactor, kChunkBytes);
    pool.base = machine().addresses->reserve(sizeBytes, kChunkBytes);
    if (pool.base) pool.space.give(pool.base, sizeBytes);
    return pool.base != 0;
}

bool backChunk(Pool& pool, uint64_t chunk) {
    if (pool.chunks.contains(chunk)) return true;
    if (pool.maximumBytes && pool.reservedBytes + kChunkBytes > roundUp(pool.maximumBytes, kChunkBytes))
        return false;
    Pages pages = takePages(pool.device, kChunkBytes);
    if (!pages || !machine().addresses->map(chunk, *machine().file, *pages, 0, pages->pages().size(),
                                            Protection::ReadWrite)) {
        return false;
    }
    pool.chunks[chunk] = std::move(pages);
    pool.cached.give(chunk, kChunkBytes);
    pool.reservedBytes += kChunkBytes;
    pool.reservedHighBytes = std::max(pool.reservedHighBytes, pool.reservedBytes);
    return true;
}

/// Takes addresses and backs those that are not. What is taken of a chunk leaves the cache at once, so that a
/// reclaim for the next chunk cannot take it away again.
uint64_t takeFresh(Pool& pool, uint64_t sizeBytes) {
    if (!reserveRange(pool)) return 0;
    const auto address = pool.space.take(sizeBytes, kSmallUnitBytes);
    if (!address) return 0;
    const uint64_t end = *address + sizeBytes;
    for (uint64_t at = *address; at < end;) {
        const uint64_t chunk = at / kChunkBytes * kChunkBytes;
        const uint64_t partEnd = std::min(end, chunk + kChunkBytes);
        if (!backChunk(pool, chunk)) {
            pool.space.give(*address, sizeBytes);
            if (at > *address) pool.cached.give(*address, at - *address);
            return 0;
        }
        pool.cached.takeAt(at, partEnd - at);
        at = partEnd;
    }
    return *address;
}

uint64_t takeBlock(Pool& pool, uint64_t sizeBytes, const Stream& stream) {
    settle(pool);
    if (const uint64_t address = takePending(pool, sizeBytes, stream)) return address;
    if (const auto address = pool.cached.take(sizeBytes, kSmallUnitBytes)) {
        pool.space.takeAt(*address, sizeBytes);
        return *address;
    }
    return takeFresh(pool, sizeBytes);
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

void setCurrentPool(CUdevice device, Pool& pool) {
    pools().current[device] = &pool;
}

void destroyPool(Pool& pool) {
    pool.alive = false;  // blocks in use stay usable; the last one freed takes the memory with it
    trimPool(pool, 0);
}

Allocation* allocateFromPool(Pool& pool, uint64_t sizeBytes, Stream& stream) {
    if (sizeBytes > machine().file->memoryBytes()) return nullptr;
    Allocation allocation;
    allocation.address = takeBlock(pool, roundUp(sizeBytes, kSmallUnitBytes), stream);
    if (!allocation.address) return nullptr;
    pool.usedBytes += sizeBytes;
    pool.usedHighBytes = std::max(pool.usedHighBytes, pool.usedBytes);
    allocation.sizeBytes = sizeBytes;
    allocation.kind = MemoryKind::Pool;
    allocation.device = pool.device;
    allocation.pool = &pool;
    return &allocations().add(std::move(allocation));
}

void freeToPool(const Allocation& allocation, Stream& stream) {
    Pool& pool = *allocation.pool;
    const uint64_t blockBytes = roundUp(allocation.sizeBytes, kSmallUnitBytes);
    pool.usedBytes -= allocation.sizeBytes;
    const uint64_t address = allocation.address;
    allocations().remove(address);
    if (stream.queue.empty()) {
        // The stream is idle, so its order has come to the free already.
        giveBack(pool, address, blockBytes);
        return;
    }
    Work free;
    free.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
    pool.pending.push_back({address, blockBytes, &stream, enqueue(stream, std::move(free))});
}

void trimPool(Pool& pool, uint64_t keepBytes) {
    settle(pool);
    for (auto chunk = pool.chunks.begin(); chunk != pool.chunks.end() && pool.reservedBytes > keepBytes;) {
        const uint64_t address = chunk->first;
        if (pool.reservedBytes - kChunkBytes < keepBytes || !pool.cached.takeAt(address, kChunkBytes)) {
            ++chunk;
            continue;
        }
        machine().addresses->unmap(address, kChunkBytes);
        pool.reservedBytes -= kChunkBytes;
        chunk = pool.chunks.erase(chunk);
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
        block.pool->usedBytes -= block.sizeBytes;
        giveBack(*block.pool, address, roundUp(block.sizeBytes, kSmallUnitBytes));
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
