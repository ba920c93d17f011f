// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/unwind/address.h"
#include "collector/unwind/stack_bounds.h"

namespace vramscope::unwind {

/// Whether the 8 bytes at `address` are a word of the live part of the stack: aligned, not below `sp`, below
/// `high`.
inline bool isStackWord(uint64_t address, uint64_t sp, const StackBounds& bounds) noexcept {
    return address % 8 == 0 && address >= sp && address < bounds.high && bounds.high - address >= 8;
}

/// Reads one word of the stack, which isStackWord has approved or which is the caller's own frame. Volatile,
/// so that the compiler draws no conclusion about objects; unknown to sanitizers, because the slots between
/// them are what we want.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
__attribute__((no_sanitize("address", "thread"), noinline))
#endif
inline uint64_t
loadStackWord(uint64_t address) noexcept {
    return *pointerAt<const volatile uint64_t>(address);
}

}  // namespace vramscope::unwind
