// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "analyzer/model/load_tables.h"
#include "analyzer/model/shared_memory.h"
#include "analyzer/model/task_timeline.h"

namespace vramscope::model {
Status loadSharedAccesses(formats::Connection& connection, Capture& capture) {
    const TaskTimeline tasks(capture);
    // Without tasks of its own a process can only write what is its.
    if (!tasks.hasTasks()) return Status::ok();
    // What is done through one mapping or import is done to all.
    const SharedMemory memory(capture);
    std::unordered_set<std::int64_t> shared;
    for (const Buffer& b : capture.buffers) {
        if (memory.isShared(b.id)) shared.insert(b.id.value);
    }
    for (const SubBuffer& piece : capture.subBuffers)
        shared.insert(piece.bufferId.value);
    for (const OwnershipChange& change : capture.ownershipChanges)
        shared.insert(change.bufferId.value);
    StringPool names;
    VRAMSCOPE_ASSIGN_OR_RETURN(const bool isWhole,
                               forEachAccess(connection, capture, names, [&](const Access& access) {
                                   const Buffer* buffer = capture.buffers.find(access.bufferId);
                                   if (buffer == nullptr || shared.contains(buffer->id.value)) return;
                                   const bool isForeign = !(tasks.ownerAtBirth(*buffer).id == access.taskId);
                                   if (isForeign) shared.insert(buffer->id.value);
                               }));
    if (shared.empty()) return Status::ok();
    VRAMSCOPE_ASSIGN_OR_RETURN(capture.sharedAccesses, loadAccesses(connection, capture, [&](BufferId id) {
                                   return shared.contains(id.value);
                               }));
    capture.sharedAccesses.isWhole = capture.sharedAccesses.isWhole && isWhole;
    return Status::ok();
}

}  // namespace vramscope::model
