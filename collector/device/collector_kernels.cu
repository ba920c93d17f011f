// SPDX-License-Identifier: Apache-2.0
#include "collector/device/guard_layout.h"
#include "collector/device/poison_layout.h"

// The collector's own kernels. They write guard bytes, and memory whose contents mean
// nothing. VRAMSCOPE_KERNEL comes from a
// header that the build includes first: one source for nvcc and for the simulation.

using vramscope::device::GuardSlot;
using vramscope::device::kGuardByte;
using vramscope::device::kPoisonWord;
using vramscope::device::kThreadsPerGuard;

/// Fills a new guard. A kernel, because the driver refuses a set beyond what was asked for.
VRAMSCOPE_KERNEL(vramscope_fill_guard, unsigned char* guard, unsigned int sizeBytes) {
    for (unsigned int i = threadIdx.x; i < sizeBytes; i += blockDim.x)
        guard[i] = kGuardByte;
}

/// Checks slots[0, count): a warp a slot. A slot that changed is told in the slot itself and in *hits. With
/// `countsThreads` each thread tells when it is through.
VRAMSCOPE_KERNEL(vramscope_check_guards, GuardSlot* slots, unsigned int count, unsigned int* hits,
                 unsigned int countsThreads) {
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int slot = thread / kThreadsPerGuard;
    if (slot >= count) return;
    const unsigned long long address = *static_cast<volatile unsigned long long*>(&slots[slot].address);
    if (address == 0) return;
    const unsigned int sizeBytes = slots[slot].sizeBytes;
    const unsigned char* guard = reinterpret_cast<const unsigned char*>(address);
    unsigned int changed = 0;
    unsigned int first = sizeBytes;
    unsigned int last = 0;
    for (unsigned int i = thread % kThreadsPerGuard; i < sizeBytes; i += kThreadsPerGuard) {
        if (guard[i] == kGuardByte) continue;
        ++changed;
        if (i < first) first = i;
        last = i;
    }
    if (changed != 0) {
        atomicMin(&slots[slot].firstChanged, first);
        atomicMax(&slots[slot].lastChanged, last);
        atomicAdd(&slots[slot].changedBytes, changed);
        atomicAdd(hits, 1u);
    }
    if (countsThreads == 0) return;
    __threadfence();
    atomicAdd(&slots[slot].threadsDone, 1u);
}

/// Fills memory whose contents mean nothing with a pattern that is not a number as half, bfloat16, float and
/// double, and far too large as an index.
VRAMSCOPE_KERNEL(vramscope_poison, unsigned char* memory, unsigned long long sizeBytes) {
    const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    const unsigned long long thread = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    auto* words = reinterpret_cast<unsigned long long*>(memory);
    const unsigned long long wordCount = sizeBytes / sizeof(*words);
    for (unsigned long long i = thread; i < wordCount; i += threads)
        words[i] = kPoisonWord;
    const unsigned long long tail = wordCount * sizeof(*words) + thread;
    if (tail < sizeBytes)
        memory[tail] = static_cast<unsigned char>(kPoisonWord >> (tail % sizeof(*words) * 8));
}
