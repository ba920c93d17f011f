// SPDX-License-Identifier: Apache-2.0
#include "gui/models/address_map_heaps.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>

#include "analyzer/model/heap_holes.h"
#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("AddressMap", text);
}

void addHole(MapArena& arena, std::int64_t from, std::int64_t to) {
    if (to <= from) return;
    arena.pieces.push_back({from, to - from, 0, true, false});
    arena.holeBytes += to - from;
    arena.largestHoleBytes = std::max(arena.largestHoleBytes, to - from);
}

/// Puts blocks, sorted by offset, into a heap with the holes between them. A heap cannot grow: what is behind
/// its last block is a hole like the others.
void lay(MapArena& arena, const std::vector<MapPiece>& blocks) {
    std::int64_t at = 0;
    for (MapPiece block : blocks) {
        // Blocks of a hostile file may overlap: each byte is drawn once.
        const std::int64_t from = std::clamp(block.offsetBytes, at, arena.bytes);
        const std::int64_t to =
            std::clamp(model::addClamped(block.offsetBytes, block.bytes), from, arena.bytes);
        addHole(arena, at, from);
        block.offsetBytes = from;
        block.bytes = to - from;
        if (to > from) arena.pieces.push_back(block);
        arena.usedBytes += to - from;
        at = to;
    }
    addHole(arena, at, arena.bytes);
}

}  // namespace

void addHeaps(AddressMap& map, const BufferFilter::Sources& sources, const Selection& scope) {
    if (!sources.analysis || !sources.analysis->capture) return;
    const model::Capture& capture = *sources.analysis->capture;
    const BufferStore& store = *sources.store;
    std::map<const model::SubBuffer*, std::vector<const model::SubBuffer*>> pinning;
    for (model::HeapUse& use : model::heapsWithHolesAt(capture, map.timeNs))
        pinning[use.heap] = std::move(use.pinning);
    for (const model::SubBuffer* heap : model::heapsAt(capture, map.timeNs)) {
        const Row row = store.rowOf(heap->bufferId);
        if (row >= store.bufferCount()) continue;
        if (!scope.process.isNone() && store.process[row] != scope.process.value) continue;
        if (!scope.device.isNone() && store.device[row] != scope.device.value) continue;
        MapArena arena;
        arena.kind = MapArena::Kind::Heap;
        arena.address = static_cast<std::uint64_t>(heap->address);
        arena.bytes = std::max<std::int64_t>(heap->sizeBytes, 1);
        arena.title = tr("Heap %1 in %2, %3")
                          .arg(heap->name.empty() ? tr("of the program")
                                                  : QStringLiteral("\"%1\"").arg(toText(heap->name)),
                               toText(store.nameOf(row)), bytesText(arena.bytes));
        std::vector<MapPiece> blocks;
        for (const model::SubBuffer* block : model::heapBlocksAt(capture, *heap, map.timeNs)) {
            MapPiece piece{block->address - heap->address, block->sizeBytes,
                           static_cast<Row>(map.blocks.size()), false, false};
            piece.isBlock = true;
            piece.isPinning = std::ranges::find(pinning[heap], block) != pinning[heap].end();
            blocks.push_back(piece);
            map.blocks.push_back({row, toText(block->name), toText(capture.taskName(block->taskId)),
                                  block->sizeBytes, block->startNs, block->stackId});
        }
        lay(arena, blocks);
        map.arenas.push_back(std::move(arena));
    }
}

}  // namespace vramscope::gui
