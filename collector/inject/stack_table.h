// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace vramscope::collector {

/// A node of the stack table: id, and whether this call made it.
struct StackNodeRef {
    std::uint32_t id;
    bool isNew;
};

/// Maps the private index over the arena's stack nodes. Called once before recording starts.
bool prepareStackTable();

/// Finds or makes the node for `address` called from node `parent`. Lock-free; any thread. id 0 when the
/// table is full. Two threads that make the same node at once agree on one id; the other slot stays unused.
StackNodeRef internStackNode(std::uint32_t parent, std::uint64_t address);

}  // namespace vramscope::collector
