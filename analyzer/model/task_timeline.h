// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// The task that work belonged to, and how that is known.
struct TaskAt {
    TaskId id;
    TaskBasis basis = TaskBasis::Process;
};

/// True when the program, or its user by name, says whose work it is: nothing proven rests on a guess.
bool isSure(TaskBasis basis);
/// True for tasks that --task-by makes of threads, streams or contexts.
bool isGuessed(TaskBasis basis);

/// Whose work a call was. Immutable; reads are safe from any thread.
class TaskTimeline {
public:
    explicit TaskTimeline(const Capture& capture);

    /// False when each process has done its own work and no other: then there is nothing to tell apart.
    bool hasTasks() const { return !m_bySubject.empty(); }

    /// Ids that are none do not matter.
    TaskAt at(ProcessId process, ThreadId thread, StreamId stream, ContextId context,
              std::int64_t timeNs) const;
    /// The task that owned the buffer when it was made.
    TaskAt ownerAtBirth(const Buffer& buffer) const;
    /// The task that the process is by itself.
    TaskId ownTaskOf(ProcessId process) const;

private:
    using Subject = std::tuple<ProcessId, ThreadId, StreamId, ContextId>;
    struct Segment {
        std::int64_t startNs = 0;
        const TaskSpan* span = nullptr;  ///< null: nothing is said from here on
    };
    static std::vector<Segment> flatten(std::vector<const TaskSpan*> spans);
    const TaskSpan* spanAt(const Subject& subject, std::int64_t timeNs) const;

    std::map<Subject, std::vector<Segment>> m_bySubject;
    std::map<ProcessId, TaskId> m_ownTasks;
};

}  // namespace vramscope::model
