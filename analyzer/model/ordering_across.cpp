// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/ordering_model.h"

/// The part of OrderingModel about memory that is reached by several buffers: mappings of one handle, and
/// what processes import from one another.
namespace vramscope::model {

std::shared_ptr<OrderingModel::Memory> OrderingModel::memoryOf(const OrderedBuffer& buffer) const {
    if (const auto older = m_older.find(buffer.id.value); older != m_older.end()) {
        for (const std::int64_t id : older->second) {
            if (const auto live = m_live.find(id); live != m_live.end()) return live->second->memory;
        }
    }
    auto memory = std::make_shared<Memory>();
    memory->home = buffer;
    return memory;
}

/// Processes tell each other by pipes, locks and messages, which are no CUDA calls. But a host can only tell
/// what it knows: that work is done it knows by a call that waits, which is recorded, or by what the device
/// did behind that work, or by looking at the bytes.
bool OrderingModel::isToldAcross(OrderingConflict& conflict, const OrderedAccess& earlier,
                                 const OrderedAccess& later) const {
    const bool isUnheard = m_order.isUnheard(earlier.point);
    // Kernels of two processes wait for each other in memory that both have; that is how collectives work.
    if (conflict.restsOnArgument && (!isUnheard || earlier.action == OrderedAction::Launch)) return false;
    conflict.mayBeToldUnseen = !isUnheard || earlier.isToHost || later.isToHost;
    return true;
}

void OrderingModel::useFreedByExporter(const Live& live, const OrderedAccess& access, ByteRange bytes) {
    const Dead& freed = *live.memory->freed;
    // What the process that freed it does through another mapping of its own is no import's matter.
    if (live.buffer.processId == freed.buffer.processId || freed.call.exitNs >= access.point.enterNs) return;
    const bool isSurelyOver = !freed.wasOrdered || m_order.isSurelyBefore(freed.free.point, access.point);
    if (!isSurelyOver && m_order.isBefore(freed.free.point, access.point)) return;
    OrderingConflict conflict;
    conflict.kind = isSurelyOver ? ConflictKind::AfterFree : ConflictKind::UnorderedFree;
    conflict.processId = freed.buffer.processId;
    conflict.bufferId = freed.buffer.id;
    conflict.earlier = sideOf(freed.free);
    conflict.later = sideOf(access);
    conflict.earlier.processId = freed.buffer.processId;
    conflict.later.processId = live.buffer.processId;
    conflict.offset = static_cast<std::int64_t>(bytes.first);
    conflict.restsOnArgument = access.action == OrderedAction::Launch;
    conflict.mayBeToldUnseen = !isSurelyOver;
    m_conflicts.add(conflict);
}

}  // namespace vramscope::model
