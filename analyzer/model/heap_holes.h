// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// A heap that the program declared, at one moment: what is handed out, and the holes between blocks.
struct HeapUse {
    const SubBuffer* heap = nullptr;
    std::int64_t blockCount = 0;
    std::int64_t freeBytes =
        0;  ///< all holes together, the room before the first and behind the last block too
    std::int64_t holeCount = 0;
    std::int64_t largestHoleBytes = 0;
    /// The neighbouring blocks with the fewest bytes that stand in the way of the wanted bytes; empty when a
    /// hole is large enough, or when even a heap without blocks would be too small.
    std::vector<const SubBuffer*> pinning;
    std::int64_t roomWithoutThem = 0;  ///< the hole that would be there without `pinning`

    /// Enough was free for so many bytes, and no hole had room for them.
    bool isTooScatteredFor(std::int64_t bytes) const {
        return freeBytes >= bytes && largestHoleBytes < bytes;
    }
};

/// `heap` at `timeNs`, and what pins the place that `wantedBytes` would need. Blocks that lie only partly in
/// the heap are cut; nested ones count once.
HeapUse heapUseAt(const Capture& capture, const SubBuffer& heap, std::int64_t timeNs,
                  std::int64_t wantedBytes);

/// The heap of the process that begins at `address` at `timeNs`, the latest that was declared; null when
/// there is none.
const SubBuffer* heapAt(const Capture& capture, ProcessId process, std::int64_t address, std::int64_t timeNs);

/// All heaps that are there at `timeNs`, in order of their declaration; 64 at most.
std::vector<const SubBuffer*> heapsAt(const Capture& capture, std::int64_t timeNs);

/// The blocks that lie in `heap` at `timeNs`, wholly or in part, by address.
std::vector<const SubBuffer*> heapBlocksAt(const Capture& capture, const SubBuffer& heap,
                                           std::int64_t timeNs);

/// All heaps that are there at `timeNs` and whose free bytes are in more than one hole, with what pins one of
/// twice the largest hole, or of all that is free if that is less; the one with most free bytes first.
std::vector<HeapUse> heapsWithHolesAt(const Capture& capture, std::int64_t timeNs);

}  // namespace vramscope::model
