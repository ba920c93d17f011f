// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the job's threads and the guard kernel share: plain structures in pinned memory that both see.

namespace vramscope::device {

/// The byte that guards are filled with: no common value of floats, integers or masks repeats it.
inline constexpr unsigned char kGuardByte = 0xC5;

/// One guarded buffer. The host writes the address, last when a guard begins and first when it ends, and the
/// size; the kernel adds to the others.
struct GuardSlot {
    unsigned long long address;  ///< first guard byte; 0: nothing to check
    unsigned int sizeBytes;      ///< guard bytes
    unsigned int changedBytes;   ///< bytes that were found changed
    unsigned int firstChanged;   ///< offset of the first one in the guard; sizeBytes while none is
    unsigned int lastChanged;
    unsigned int threadsDone;  ///< threads that are through with this slot, where the host asked for that
    unsigned int foundBy;      ///< number of the check that saw the change first
};
static_assert(sizeof(GuardSlot) == 32);

/// A guard is checked by this many threads of one warp, each every so many bytes.
inline constexpr unsigned int kThreadsPerGuard = 32;

}  // namespace vramscope::device
