// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/heap_holes.h"

#include <algorithm>

namespace vramscope::model {
namespace {

using Bytes = std::uint64_t;

/// Each costs a walk over all pieces.
constexpr std::size_t kMostHeaps = 64;

/// Blocks that overlap, as one.
struct Run {
    Bytes begin = 0;
    Bytes end = 0;
    std::size_t firstBlock = 0;
    std::size_t endBlock = 0;
};

bool isLiveAt(const Capture& capture, const SubBuffer& piece, std::int64_t timeNs) {
    if (timeNs < piece.startNs || timeNs >= piece.endNs) return false;
    const Buffer* buffer = capture.buffers.find(piece.bufferId);
    return buffer == nullptr || timeNs < buffer->freeNs;
}

Bytes startOf(const SubBuffer& piece) {
    return static_cast<Bytes>(piece.address);
}
Bytes endOf(const SubBuffer& piece) {
    return startOf(piece) + static_cast<Bytes>(piece.sizeBytes);
}

std::vector<Run> runsOf(const std::vector<const SubBuffer*>& blocks, const SubBuffer& heap) {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const Bytes begin = std::max(startOf(*blocks[i]), startOf(heap));
        const Bytes end = std::min(endOf(*blocks[i]), endOf(heap));
        // Runs that touch stay apart: each can be freed without the other.
        if (!runs.empty() && begin < runs.back().end) {
            runs.back().end = std::max(runs.back().end, end);
            runs.back().endBlock = i + 1;
        } else {
            runs.push_back({begin, end, i, i + 1});
        }
    }
    return runs;
}

/// The neighbouring runs of fewest bytes without which there is room for `wanted`, and that room.
void findPinning(HeapUse& use, const std::vector<const SubBuffer*>& blocks, const std::vector<Run>& runs,
                 Bytes wanted) {
    const auto roomBefore = [&](std::size_t run) {
        return run == 0 ? startOf(*use.heap) : runs[run - 1].end;
    };
    const auto roomBehind = [&](std::size_t run) {
        return run + 1 == runs.size() ? endOf(*use.heap) : runs[run + 1].begin;
    };
    Bytes fewest = ~Bytes{0};
    std::size_t bestFirst = 0;
    std::size_t bestEnd = 0;
    Bytes held = 0;
    std::size_t end = 0;
    for (std::size_t first = 0; first < runs.size(); ++first) {
        while (end < runs.size() && (end <= first || roomBehind(end - 1) - roomBefore(first) < wanted)) {
            held += runs[end].end - runs[end].begin;
            ++end;
        }
        if (roomBehind(end - 1) - roomBefore(first) < wanted) break;
        if (held < fewest) {
            fewest = held;
            bestFirst = first;
            bestEnd = end;
        }
        held -= runs[first].end - runs[first].begin;
    }
    if (bestEnd == 0) return;
    use.pinning.assign(blocks.begin() + static_cast<std::ptrdiff_t>(runs[bestFirst].firstBlock),
                       blocks.begin() + static_cast<std::ptrdiff_t>(runs[bestEnd - 1].endBlock));
    use.roomWithoutThem = static_cast<std::int64_t>(roomBehind(bestEnd - 1) - roomBefore(bestFirst));
}

void measureHoles(HeapUse& use, const std::vector<Run>& runs) {
    Bytes at = startOf(*use.heap);
    const auto note = [&](Bytes until) {
        if (until <= at) return;
        const auto bytes = static_cast<std::int64_t>(until - at);
        use.freeBytes = addClamped(use.freeBytes, bytes);
        ++use.holeCount;
        use.largestHoleBytes = std::max(use.largestHoleBytes, bytes);
    };
    for (const Run& run : runs) {
        note(run.begin);
        at = run.end;
    }
    note(endOf(*use.heap));
}

}  // namespace

std::vector<const SubBuffer*> heapBlocksAt(const Capture& capture, const SubBuffer& heap,
                                           std::int64_t timeNs) {
    std::vector<const SubBuffer*> blocks;
    for (const SubBuffer& piece : capture.subBuffers) {
        if (piece.startNs > timeNs) break;
        const bool isBlock = piece.kind == PieceKind::Block && piece.processId == heap.processId;
        if (!isBlock || startOf(piece) >= endOf(heap) || endOf(piece) <= startOf(heap)) continue;
        if (piece.sizeBytes > 0 && isLiveAt(capture, piece, timeNs)) blocks.push_back(&piece);
    }
    std::stable_sort(blocks.begin(), blocks.end(),
                     [](const auto* a, const auto* b) { return startOf(*a) < startOf(*b); });
    return blocks;
}

HeapUse heapUseAt(const Capture& capture, const SubBuffer& heap, std::int64_t timeNs,
                  std::int64_t wantedBytes) {
    HeapUse use;
    use.heap = &heap;
    const auto blocks = heapBlocksAt(capture, heap, timeNs);
    const auto runs = runsOf(blocks, heap);
    use.blockCount = static_cast<std::int64_t>(blocks.size());
    measureHoles(use, runs);
    if (use.largestHoleBytes < wantedBytes) findPinning(use, blocks, runs, static_cast<Bytes>(wantedBytes));
    return use;
}

const SubBuffer* heapAt(const Capture& capture, ProcessId process, std::int64_t address,
                        std::int64_t timeNs) {
    const SubBuffer* found = nullptr;
    for (const SubBuffer& piece : capture.subBuffers) {
        if (piece.startNs > timeNs) break;
        const bool isIt = piece.kind == PieceKind::Heap && piece.processId == process &&
                          piece.address == address && isLiveAt(capture, piece, timeNs);
        if (isIt) found = &piece;
    }
    return found;
}

std::vector<const SubBuffer*> heapsAt(const Capture& capture, std::int64_t timeNs) {
    std::vector<const SubBuffer*> heaps;
    for (const SubBuffer& piece : capture.subBuffers) {
        if (piece.startNs > timeNs || heaps.size() == kMostHeaps) break;
        if (piece.kind == PieceKind::Heap && isLiveAt(capture, piece, timeNs)) heaps.push_back(&piece);
    }
    return heaps;
}

std::vector<HeapUse> heapsWithHolesAt(const Capture& capture, std::int64_t timeNs) {
    std::vector<HeapUse> uses;
    for (const SubBuffer* heap : heapsAt(capture, timeNs)) {
        const HeapUse use = heapUseAt(capture, *heap, timeNs, 0);
        if (use.holeCount < 2) continue;
        const std::int64_t wanted =
            std::min(use.freeBytes, addClamped(use.largestHoleBytes, use.largestHoleBytes));
        uses.push_back(heapUseAt(capture, *heap, timeNs, wanted));
    }
    std::stable_sort(uses.begin(), uses.end(),
                     [](const HeapUse& a, const HeapUse& b) { return a.freeBytes > b.freeBytes; });
    return uses;
}

}  // namespace vramscope::model
