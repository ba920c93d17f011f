// SPDX-License-Identifier: Apache-2.0
#include "collector/device/exact_layout.h"

// The exact engine's patches: the Compute Sanitizer API calls them before the instructions of a kernel that
// touch global memory (sanitizer_patching.h, SanitizerCallback...). They note for each launch which pieces of
// live memory it read and wrote, from which byte to which. A warp looks up once what its threads share, and a
// mark that says nothing new costs a load.

using vramscope::device::ExactAddress;
using vramscope::device::ExactLaunch;
using vramscope::device::ExactMarks;
using vramscope::device::ExactOutside;
using vramscope::device::ExactPage;
using vramscope::device::ExactPiece;
using vramscope::device::exactPlace;
using vramscope::device::kExactPageBits;
using vramscope::device::kExactPcKnown;

namespace {

// Sanitizer_DeviceMemoryFlags.
constexpr unsigned int kRead = 1;
constexpr unsigned int kWrite = 2;
constexpr unsigned int kPrefetch = 8;

constexpr unsigned int kNoPiece = ~0u;

/// The piece that holds `address`, or kNoPiece.
__device__ __forceinline__ unsigned int findPiece(const ExactLaunch* launch, ExactAddress address,
                                                  ExactPiece& piece) {
    const ExactAddress page = address >> kExactPageBits;
    const unsigned int mask = launch->pageMask;
    const ExactPage* pages = launch->pages;
    unsigned int place = exactPlace(page, mask);
    while (pages[place].page != page) {
        if (pages[place].pieceCount == 0) return kNoPiece;
        place = (place + 1) & mask;
    }
    unsigned int first = pages[place].firstPiece;
    unsigned int count = pages[place].pieceCount;
    if (count == 0) return kNoPiece;
    piece = {pages[place].begin, pages[place].sizeBytes};
    if (count > 1) {
        // The last that begins at or before the address.
        while (count > 1) {
            const unsigned int half = count / 2;
            if (launch->pieces[first + half].begin <= address) {
                first += half;
                count -= half;
            } else {
                count = half;
            }
        }
        piece = launch->pieces[first];
    }
    return address - piece.begin < piece.sizeBytes ? first : kNoPiece;
}

/// The largest value in the threads of `group`, which all call it. It is most often that of thread `guess`.
/// Patches may not use the instruction that computes it.
__device__ __forceinline__ unsigned int largest(unsigned int group, unsigned int value, unsigned int guess) {
    unsigned int best = __shfl_sync(group, value, guess);
    for (unsigned int larger; (larger = __ballot_sync(group, value > best)) != 0;)
        best = __shfl_sync(group, value, __ffs(larger) - 1);
    return best;
}

#ifdef __CUDACC__
__device__ __forceinline__ unsigned int laneId() {
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

__device__ __forceinline__ unsigned int multiprocessor() {
    unsigned int number;
    asm("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}
#else
inline unsigned int laneId() {
    return 0;
}
inline unsigned int multiprocessor() {
    return 0;
}
#endif

__device__ __forceinline__ unsigned int lowHalf(ExactAddress word) {
    return static_cast<unsigned int>(word);
}

/// One kind of access to one piece, by the threads of `group`, which all call it, at one instruction.
/// `places` are null for reads.
__device__ __forceinline__ void widen(unsigned int* bounds, ExactAddress* places, unsigned int group,
                                      unsigned int low, unsigned int high, unsigned int pc) {
    // What was loaded may be old, and then too narrow: a maximum more does no harm.
    const uint2 now = *reinterpret_cast<const uint2*>(bounds);
    if (__ballot_sync(group, low > now.x || high > now.y) == 0) return;
    // Neighbouring threads mostly touch neighbouring bytes.
    const unsigned int firstThread = __ffs(group) - 1;
    low = largest(group, low, firstThread);
    high = largest(group, high, 31 - __clz(group));
    if (laneId() != firstThread) return;
    if (low > now.x) {
        if (places != nullptr) atomicMax(&places[0], static_cast<ExactAddress>(low) << 32 | pc);
        atomicMax(&bounds[0], low);
    }
    if (high > now.y) {
        if (places != nullptr) atomicMax(&places[1], static_cast<ExactAddress>(high) << 32 | pc);
        atomicMax(&bounds[1], high);
    }
}

__device__ __forceinline__ void markOutside(ExactOutside* outside, ExactAddress address,
                                            ExactAddress sizeBytes, unsigned int pc) {
    if (outside->pc == 0) atomicMax(&outside->pc, kExactPcKnown | pc);
    if (~address > outside->lowComplement) atomicMax(&outside->lowComplement, ~address);
    if (address + sizeBytes > outside->high) atomicMax(&outside->high, address + sizeBytes);
}

__device__ __forceinline__ void mark(const ExactLaunch* launch, unsigned int pc, ExactAddress address,
                                     unsigned int sizeBytes, unsigned int flags) {
    ExactPiece piece;
    const unsigned int found = findPiece(launch, address, piece);
    if (found == kNoPiece) {
        if (flags & kRead) markOutside(&launch->outside[0], address, sizeBytes, pc);
        if (flags & kWrite) markOutside(&launch->outside[1], address, sizeBytes, pc);
        return;
    }
    const unsigned int size = static_cast<unsigned int>(piece.sizeBytes);
    const unsigned int offset = static_cast<unsigned int>(address - piece.begin);
    const unsigned int low = size - offset;
    const unsigned int high = sizeBytes < low ? offset + sizeBytes : size;
    const unsigned int mask = launch->stripeMask;
    ExactMarks* marks =
        &launch->marks[static_cast<ExactAddress>(found) * (mask + 1) + (multiprocessor() & mask)];
    // Piece after piece: mostly there is one for the whole warp.
    for (unsigned int rest = __activemask();;) {
        const bool isTurn = found == __shfl_sync(rest, found, __ffs(rest) - 1);
        const unsigned int group = __ballot_sync(rest, isTurn);
        if (isTurn) {
            if (flags & kRead) widen(&marks->readLow, nullptr, group, low, high, pc);
            if (flags & kWrite) widen(&marks->writeLow, &marks->writeLowPlace, group, low, high, pc);
            return;
        }
        rest &= ~group;
    }
}

}  // namespace

/// SanitizerCallbackMemoryAccess.
extern "C" __device__ __noinline__ int vramscope_exact_access(void* launch, unsigned long long pc,
                                                              void* address, unsigned int sizeBytes,
                                                              unsigned int flags, const void* /*value*/) {
    if (launch != nullptr && (flags & kPrefetch) == 0)
        mark(static_cast<const ExactLaunch*>(launch), lowHalf(pc), reinterpret_cast<ExactAddress>(address),
             sizeBytes, flags);
    return 0;
}

/// SanitizerCallbackMemcpyAsync: a copy from global to shared memory, element by element.
extern "C" __device__ __noinline__ int vramscope_exact_copy(void* launch, unsigned long long pc, void* source,
                                                            unsigned int /*destination*/,
                                                            unsigned int sizeBytes) {
    if (launch != nullptr && source != nullptr)
        mark(static_cast<const ExactLaunch*>(launch), lowHalf(pc), reinterpret_cast<ExactAddress>(source),
             sizeBytes, kRead);
    return 0;
}

/// SanitizerCallbackBulkCopyGlobalToShared: blocks of 16 bytes, their number in the low half.
extern "C" __device__ __noinline__ int vramscope_exact_bulk_read(
    void* launch, unsigned long long pc, unsigned long long source, unsigned int /*destination*/,
    unsigned int /*barrier*/, unsigned int blocks, unsigned int /*isMulticast*/) {
    if (launch != nullptr)
        mark(static_cast<const ExactLaunch*>(launch), lowHalf(pc), source, (blocks & 0xFFFF) * 16, kRead);
    return 0;
}

/// SanitizerCallbackBulkCopySharedToGlobal and ...BulkReductionSharedToGlobal.
extern "C" __device__ __noinline__ int vramscope_exact_bulk_write(void* launch, unsigned long long pc,
                                                                  unsigned long long destination,
                                                                  unsigned int /*source*/,
                                                                  unsigned int blocks) {
    if (launch != nullptr)
        mark(static_cast<const ExactLaunch*>(launch), lowHalf(pc), destination, (blocks & 0xFFFF) * 16,
             kWrite);
    return 0;
}
