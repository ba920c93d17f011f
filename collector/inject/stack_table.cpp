// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/stack_table.h"

#include <atomic>
#include <sys/mman.h>

#include "collector/inject/collector.h"

namespace vramscope::collector {

namespace {

using formats::StackNode;

// Open addressing over node ids, at most half full because it has two slots for each node of the arena.
std::atomic<std::uint32_t>* g_index = nullptr;
std::uint64_t g_indexMask = 0;

StackNode* nodes() {
    formats::ArenaHeader& arena = *g_collector.arena;
    return reinterpret_cast<StackNode*>(reinterpret_cast<char*>(&arena) + arena.stackNodesOffset);
}

std::uint64_t hashOf(std::uint32_t parent, std::uint64_t address) {
    std::uint64_t hash = (address ^ (std::uint64_t{parent} << 40)) * 0x9E37'79B9'7F4A'7C15ull + parent;
    return hash ^ (hash >> 29);
}

bool same(const StackNode& node, std::uint32_t parent, std::uint64_t address) {
    return node.parent == parent && node.address == address;
}

std::uint32_t makeNode(std::uint32_t parent, std::uint64_t address) {
    formats::ArenaHeader& arena = *g_collector.arena;
    if (arena.stackNodeCount.load(std::memory_order_relaxed) >= arena.stackNodeCapacity) return 0;
    const std::uint32_t id = arena.stackNodeCount.fetch_add(1, std::memory_order_relaxed);
    if (id >= arena.stackNodeCapacity) return 0;
    nodes()[id] = StackNode{address, parent, 0};
    return id;
}

}  // namespace

bool prepareStackTable() {
    std::uint64_t slots = 1024;
    while (slots < std::uint64_t{g_collector.arena->stackNodeCapacity} * 2)
        slots *= 2;
    void* memory = ::mmap(nullptr, slots * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    g_index = static_cast<std::atomic<std::uint32_t>*>(memory);
    g_indexMask = slots - 1;
    return true;
}

StackNodeRef internStackNode(std::uint32_t parent, std::uint64_t address) {
    std::uint32_t made = 0;
    for (std::uint64_t at = hashOf(parent, address) & g_indexMask;; at = (at + 1) & g_indexMask) {
        std::uint32_t id = g_index[at].load(std::memory_order_acquire);
        if (id == 0) {
            if (made == 0) made = makeNode(parent, address);
            if (made == 0) {
                countDrop(formats::DropReason::StackTableFull);
                return {0, false};
            }
            // Release: whoever finds the id finds a whole node.
            if (g_index[at].compare_exchange_strong(id, made, std::memory_order_acq_rel)) return {made, true};
        }
        if (same(nodes()[id], parent, address)) return {id, false};
    }
}

}  // namespace vramscope::collector
