// SPDX-License-Identifier: Apache-2.0
#include "collector/device/digest_layout.h"
#include "collector/device/guard_layout.h"
#include "collector/device/poison_layout.h"

// The collector's own kernels. They write guard bytes, and memory whose contents mean nothing.
// VRAMSCOPE_KERNEL and the words for warps come from a header that the build includes first: one source for
// nvcc and for the simulation.

using vramscope::device::DigestOutcome;
using vramscope::device::DigestState;
using vramscope::device::DigestTask;
using vramscope::device::GuardSlot;
using vramscope::device::kGuardByte;
using vramscope::device::kNoDigest;
using vramscope::device::kPoisonWord;
using vramscope::device::kThreadsPerGuard;

/// Fills a new guard. A kernel, because the driver refuses a set beyond what was asked for.
VRAMSCOPE_KERNEL(vramscope_fill_guard, unsigned char* guard, unsigned int sizeBytes) {
    for (unsigned int i = threadIdx.x; i < sizeBytes; i += blockDim.x)
        guard[i] = kGuardByte;
}

/// Checks slots[0, count): a warp a slot. A slot that changed is told in the slot itself, by the first check
/// that sees it, and in *hits. `number` is this check's, not 0. With `countsThreads` each thread tells when
/// it is through.
VRAMSCOPE_KERNEL(vramscope_check_guards, GuardSlot* slots, unsigned int count, unsigned int* hits,
                 unsigned int countsThreads, unsigned int number) {
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
    const unsigned int foundBy = changed != 0 ? atomicCAS(&slots[slot].foundBy, 0u, number) : 0;
    if (changed != 0 && (foundBy == 0 || foundBy == number)) {
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

namespace {

/// Sixteen bytes in one load.
struct alignas(16) Words {
    unsigned long long first;
    unsigned long long second;
};

constexpr unsigned long long kStride = 0x9E37'79B9'7F4A'7C15ull;

/// Of a word at a place. A different word at the same place gives a different value, so that one changed word
/// never goes unseen; and the place counts, so that two words that changed places show.
__device__ __forceinline__ unsigned long long mixed(unsigned long long word, unsigned long long place) {
    unsigned long long value = (word ^ place) * 0xD6E8'FEB8'6659'FD93ull;
    return value ^ (value >> 32);
}

__device__ __forceinline__ unsigned long long mixed(const Words& words, unsigned long long place) {
    return mixed(words.first, place) + mixed(words.second, ~place);
}

/// This thread's part of the sum over all words.
__device__ __forceinline__ unsigned long long partOfDigest(const unsigned char* memory,
                                                           unsigned long long sizeBytes) {
    const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const Words* words = reinterpret_cast<const Words*>(memory);
    const unsigned long long count = sizeBytes / sizeof(Words);
    // A few bytes behind the last whole word, as words of their own.
    unsigned long long sum = 0;
    const unsigned long long tail = count * sizeof(Words) + i;
    if (tail < sizeBytes) sum = mixed(memory[tail] + 1ull, (tail + 1) * kStride);
    for (; i + 3 * threads < count; i += 4 * threads) {
        const Words a = words[i];
        const Words b = words[i + threads];
        const Words c = words[i + 2 * threads];
        const Words d = words[i + 3 * threads];
        sum += mixed(a, i * kStride) + mixed(b, (i + threads) * kStride);
        sum += mixed(c, (i + 2 * threads) * kStride) + mixed(d, (i + 3 * threads) * kStride);
    }
    for (; i < count; i += threads)
        sum += mixed(words[i], i * kStride);
    return sum;
}

}  // namespace

/// Takes the digests tasks[first + y], y the block's, and compares each with the one that it names. Reads the
/// watched memory and nothing else of the job's.
VRAMSCOPE_KERNEL(vramscope_digest, DigestTask* tasks, DigestState* states, unsigned int first,
                 unsigned int mask) {
    const unsigned int index = (first + blockIdx.y) & mask;
    volatile DigestTask& task = tasks[index];
    DigestState& state = states[index];
    const unsigned long long address = task.address;
    const unsigned long long part =
        address != 0 ? partOfDigest(reinterpret_cast<const unsigned char*>(address), task.sizeBytes) : 0;
    const unsigned long long sum = sumOfWarp(part);
    if (!isFirstOfWarp()) return;
    atomicAdd(&state.sum, sum);
    __threadfence();
    const unsigned int warps = gridDim.x * ((blockDim.x + kWarpThreads - 1) / kWarpThreads);
    if (atomicAdd(&state.warpsDone, 1u) + 1 != warps) return;
    __threadfence();
    const unsigned long long digest = atomicExch(&state.sum, 0ull);
    state.warpsDone = 0;
    state.digest = digest;
    DigestOutcome outcome = DigestOutcome::Taken;
    if (task.before != kNoDigest)
        outcome = states[task.before].digest == digest ? DigestOutcome::Same : DigestOutcome::Changed;
    // Some of it may have been read behind the end of the buffer's life.
    if (task.address == 0) outcome = DigestOutcome::Gone;
    task.outcome = outcome;
}

/// Keeps one thread busy: what comes behind it on its stream comes that much later.
VRAMSCOPE_KERNEL(vramscope_delay, unsigned int nanoseconds) {
    const unsigned long long startNs = deviceClockNs();
    while (deviceClockNs() - startNs < nanoseconds) {
    }
}
