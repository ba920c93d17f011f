// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/graph_memory.h"

#include <algorithm>
#include <map>

#include "samples/sim/allocations.h"
#include "samples/sim/device_heap.h"
#include "samples/sim/machine.h"

namespace vramscope::sim {
namespace {

constexpr uint64_t kChunkBytes = 32ull << 20;

struct GraphBlock {
    CUdevice device;
    uint64_t reservedBytes;
    Pages pages;  ///< null while nothing is behind the address
    bool inUse = false;
};

struct GraphMemory {
    std::map<uint64_t, GraphBlock> blocks;
    std::map<CUdevice, GraphMemoryUse> highs;
};

GraphMemory& state() {
    static GraphMemory* const instance = new GraphMemory;
    return *instance;
}

GraphBlock* find(uint64_t address) {
    const auto found = state().blocks.find(address);
    return found == state().blocks.end() ? nullptr : &found->second;
}

}  // namespace

uint64_t reserveGraphMemory(CUdevice device, uint64_t sizeBytes) {
    GraphBlock block{device, (sizeBytes + kChunkBytes - 1) / kChunkBytes * kChunkBytes, nullptr};
    const uint64_t address = machine().addresses->reserve(block.reservedBytes);
    if (!address) return 0;
    Allocation allocation;
    allocation.address = address;
    allocation.sizeBytes = sizeBytes;
    allocation.kind = MemoryKind::Graph;
    allocation.device = device;
    allocations().add(std::move(allocation));
    state().blocks.emplace(address, std::move(block));
    return address;
}

bool isGraphMemory(uint64_t address) {
    return find(address) != nullptr;
}

CUresult useGraphMemory(uint64_t address) {
    GraphBlock* block = find(address);
    if (!block || block->inUse) return CUDA_ERROR_INVALID_VALUE;
    if (!block->pages) {
        Pages pages = takePages(block->device, block->reservedBytes);
        if (!pages || !machine().addresses->map(address, *machine().file, *pages, 0, pages->pages().size(),
                                                Protection::ReadWrite)) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        block->pages = std::move(pages);
    }
    block->inUse = true;
    const GraphMemoryUse use = graphMemoryUse(block->device);
    GraphMemoryUse& highs = state().highs[block->device];
    highs.usedHighBytes = use.usedHighBytes;
    highs.reservedHighBytes = use.reservedHighBytes;
    return CUDA_SUCCESS;
}

bool endGraphMemoryUse(uint64_t address) {
    GraphBlock* block = find(address);
    if (!block || !block->inUse) return false;
    block->inUse = false;
    return true;
}

GraphMemoryUse graphMemoryUse(CUdevice device) {
    GraphMemoryUse use{};
    for (const auto& [address, block] : state().blocks) {
        if (block.device == device && block.pages) use.reservedBytes += block.reservedBytes;
    }
    // An H200 counts as used what is reserved, freed by the graph or not, until the trim.
    use.usedBytes = use.reservedBytes;
    const GraphMemoryUse& highs = state().highs[device];
    use.usedHighBytes = std::max(highs.usedHighBytes, use.usedBytes);
    use.reservedHighBytes = std::max(highs.reservedHighBytes, use.reservedBytes);
    return use;
}

void resetGraphMemoryHighs(CUdevice device, bool used, bool reserved) {
    GraphMemoryUse& highs = state().highs[device];
    if (used) highs.usedHighBytes = 0;
    if (reserved) highs.reservedHighBytes = 0;
}

void trimGraphMemory(CUdevice device) {
    for (auto& [address, block] : state().blocks) {
        if (block.device != device || block.inUse || !block.pages) continue;
        machine().addresses->unmap(address, block.reservedBytes);
        block.pages = nullptr;
    }
}

}  // namespace vramscope::sim
