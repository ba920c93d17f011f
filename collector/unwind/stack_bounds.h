// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vramscope::unwind {

/// The addresses that the unwinder may read: from the current stack pointer up to `high`. `low` only tells
/// whether a stack pointer is on this stack at all.
struct StackBounds {
    uint64_t low = 0;
    uint64_t high = 0;  ///< one past the last readable byte; 0 when unknown

    bool contains(uint64_t address) const noexcept { return address >= low && address < high; }
};

/// The bounds of the stack that the caller runs on, be it the thread's own, a fiber's or a signal stack. {0,
/// 0} if they cannot be found. Cold: reads /proc/self/maps (three or more system calls, no allocation, no
/// lock; errno is kept), so keep the answer in the thread and ask again only when unwind() says OutsideStack:
/// the main thread's stack has grown, or the program switched to another stack. pthread_getattr_np would
/// allocate.
StackBounds findStackBounds() noexcept;

}  // namespace vramscope::unwind
