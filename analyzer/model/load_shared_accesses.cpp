// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "analyzer/model/load_tables.h"
#include "analyzer/model/shared_memory.h"
#include "analyzer/model/task_timeline.h"

namespace vramscope::model {
namespace {

/// What a digest shows of a launch, as one more access: the buffer was written, no matter what the kernel was
/// given.
void addDigestAccesses(Capture& capture, const TaskTimeline& tasks) {
    std::vector<Access>& accesses = capture.sharedAccesses.accesses;
    for (std::size_t i = 0; i < capture.digestChanges.size(); ++i) {
        const DigestChange& change = capture.digestChanges[i];
        const WatchedLaunch& launch = change.launch;
        const Buffer* buffer = capture.buffers.find(change.bufferId);
        if (buffer == nullptr || launch.enterNs == 0) continue;
        const TaskAt task = tasks.at(change.processId, launch.threadId, launch.streamId, {}, launch.enterNs);
        Access& access = accesses.emplace_back();
        access.enterNs = access.lastNs = launch.enterNs;
        access.exitNs = launch.exitNs;
        access.processId = change.processId;
        access.threadId = launch.threadId;
        access.streamId = launch.streamId;
        access.taskId = task.id;
        access.basis = task.basis;
        access.bufferId = change.bufferId;
        access.sizeBytes = buffer->sizeBytes;
        access.isLaunch = true;
        access.mayWrite = true;
        access.what = launch.kernel;
        access.stackId = launch.stackId;
        access.digestChange = static_cast<std::int64_t>(i);
    }
    std::stable_sort(accesses.begin(), accesses.end(),
                     [](const Access& a, const Access& b) { return a.enterNs < b.enterNs; });
}

}  // namespace

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
    for (const DigestChange& change : capture.digestChanges)
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
    addDigestAccesses(capture, tasks);
    return Status::ok();
}

}  // namespace vramscope::model
