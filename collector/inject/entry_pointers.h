// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace vramscope::collector {

/// A function of the driver and the one that takes its place.
struct EntryPointer {
    std::uintptr_t original;
    std::uintptr_t replacement;
};

/// Finds `pointers[i].original` in the data of the modules loaded now, wherever one is kept for later calls
/// (a runtime's table, a global offset table, a variable), and stores the replacement there. The driver's own
/// data, CUPTI's and ours are left alone, and so are heap and stacks. A word is replaced by one aligned
/// store, so other threads may be calling through it. Returns the number of words replaced.
///
/// Reads each resident page of all writable data once, some 60 ms for torch. Makes system
/// calls and takes the loader's lock; allocates nothing from the job's heap. One thread at a time.
std::size_t replaceEntryPointers(const EntryPointer* pointers, std::size_t count);

/// A number that changes when a module is loaded.
std::uint64_t loadedModules();

}  // namespace vramscope::collector
