// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/pooled_buffers.h"

#include "analyzer/model/task_timeline.h"

namespace vramscope::model {

PooledBuffers buffersCutUpUnseen(const Capture& capture, LibraryCache& libraries) {
    std::unordered_set<std::int64_t> seen;
    for (const SubBuffer& piece : capture.subBuffers) {
        if (piece.kind == PieceKind::Heap) seen.insert(piece.bufferId.value);
    }
    PooledBuffers pooled;
    for (const Buffer& b : capture.buffers) {
        // Of the others, each is what was asked for.
        const bool canBeCut = b.kind == BufferKind::Device || b.kind == BufferKind::Managed ||
                              b.kind == BufferKind::Vmm || b.kind == BufferKind::Pinned;
        if (!canBeCut || seen.contains(b.id.value)) continue;
        if (libraries.of(b.allocStackId, b.processId).kind != LibraryKind::Framework) continue;
        pooled.ids.insert(b.id.value);
        pooled.bytes = addClamped(pooled.bytes, b.sizeBytes);
    }
    return pooled;
}

PooledBuffers buffersSkippedByOwnership(const Capture& capture) {
    if (!TaskTimeline(capture).hasTasks()) return {};
    LibraryCache libraries(capture);
    return buffersCutUpUnseen(capture, libraries);
}

}  // namespace vramscope::model
