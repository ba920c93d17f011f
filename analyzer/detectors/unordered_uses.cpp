// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/unordered_uses.h"

namespace vramscope::detectors {

using model::OrderedAction;

UnorderedUses::UnorderedUses(const model::Capture& capture, const model::TaskTimeline& tasks) {
    for (const model::OrderingConflict& conflict : capture.ordering.conflicts) {
        const Side earlier = sideOf(tasks, conflict.earlier.processId, conflict.earlier);
        const Side later = sideOf(tasks, conflict.later.processId, conflict.later);
        for (const model::BufferId buffer : conflict.buffers) {
            note(buffer, earlier, later.task);
            note(buffer, later, earlier.task);
        }
    }
}

UnorderedUses::Side UnorderedUses::sideOf(const model::TaskTimeline& tasks, model::ProcessId process,
                                          const model::OrderedSide& side) {
    const model::TaskId task = tasks.at(process, side.threadId, side.streamId, {}, side.enterNs).id;
    return {task, side.streamId, side.stackId,
            side.action == OrderedAction::Write || side.action == OrderedAction::Launch};
}

void UnorderedUses::note(model::BufferId buffer, const Side& writer, model::TaskId other) {
    if (writer.writes && !(writer.task == other))
        m_known.insert({buffer, other, writer.task, writer.stream, writer.stack});
}

bool UnorderedUses::has(const model::Access& access, model::BufferId buffer, model::TaskId owner) const {
    return m_known.contains({buffer, owner, access.taskId, access.streamId, access.stackId});
}

}  // namespace vramscope::detectors
