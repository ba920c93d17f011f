// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <tuple>

#include "analyzer/model/capture.h"
#include "analyzer/model/task_timeline.h"

namespace vramscope::detectors {

/// Which tasks' writes nothing orders against another task's uses of the same bytes, as the happens-before
/// model found. Knows nothing where order was not judged.
class UnorderedUses {
public:
    UnorderedUses(const model::Capture& capture, const model::TaskTimeline& tasks);

    /// Whether a write like this one, of the same task, stream and stack, is unordered against a use of
    /// `buffer` by `owner`.
    bool has(const model::Access& access, model::BufferId buffer, model::TaskId owner) const;

private:
    struct Side {
        model::TaskId task;
        model::StreamId stream;
        model::StackId stack;
        bool writes = false;
    };
    using Key = std::tuple<model::BufferId, model::TaskId, model::TaskId, model::StreamId, model::StackId>;

    static Side sideOf(const model::TaskTimeline& tasks, model::ProcessId process,
                       const model::OrderedSide& side);
    void note(model::BufferId buffer, const Side& writer, model::TaskId other);

    std::set<Key> m_known;
};

}  // namespace vramscope::detectors
