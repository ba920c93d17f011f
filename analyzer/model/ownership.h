// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "analyzer/model/capture.h"
#include "analyzer/model/task_timeline.h"

namespace vramscope::model {

/// Who owned a piece of a buffer.
struct Owned {
    std::int64_t offset = 0;
    std::int64_t sizeBytes = 0;
    TaskId taskId;                         ///< none: nobody, the bytes are a heap's and handed out to no task
    TaskBasis basis = TaskBasis::Process;  ///< how the owner is known
    std::int64_t sinceNs = 0;
    StackId stackId;  ///< where it got them: the allocation, the block, the gift
    bool isHeap = false;
    bool isSaid = false;  ///< the program gave these bytes or handed them out, it did not only allocate

    std::int64_t end() const { return offset + sizeBytes; }
};

/// A loan of a range to a task, or to all.
struct Loan {
    std::int64_t offset = 0;
    std::int64_t sizeBytes = 0;
    TaskId taskId;  ///< none: every task
    bool mayWrite = false;
    std::int64_t sinceNs = 0;
};

/// Who owns the buffers of a capture at one moment after another: time only goes forward.
class Ownership {
public:
    Ownership(const Capture& capture, const TaskTimeline& tasks);

    /// Everything that was said up to `timeNs` counts from here on.
    void advanceTo(std::int64_t timeNs);

    /// The owners of [offset, offset + sizeBytes) of `buffer` now, in order.
    std::vector<Owned> ownersOf(const Buffer& buffer, std::int64_t offset, std::int64_t sizeBytes) const;
    /// The parts of the range, as offset and bytes, that are not lent to `task` now, for writing if
    /// `forWriting`.
    std::vector<std::pair<std::int64_t, std::int64_t>> partsNotLent(const Buffer& buffer, std::int64_t offset,
                                                                    std::int64_t sizeBytes, TaskId task,
                                                                    bool forWriting) const;
    /// True when all of the range is lent to `task` now, for writing if `forWriting`.
    bool isLent(const Buffer& buffer, std::int64_t offset, std::int64_t sizeBytes, TaskId task,
                bool forWriting) const;
    /// The loan to `task` (or all) that touches the range now, and one that ended before; null when none did.
    const Loan* loanOf(const Buffer& buffer, std::int64_t offset, std::int64_t sizeBytes, TaskId task) const;
    bool wasEverLent(const Buffer& buffer, TaskId task) const;

private:
    /// What was said, in one order.
    struct Event {
        std::int64_t timeNs;
        const OwnershipChange* change = nullptr;
        const SubBuffer* piece = nullptr;
        bool isEnd = false;
    };
    struct State {
        std::map<std::int64_t, Owned> owners;  ///< by offset; together the whole buffer
        std::vector<Loan> loans;
        std::vector<TaskId> everLentTo;  ///< none: to all
    };

    State& stateOf(const Buffer& buffer);
    static void assign(State& state, Owned owned);
    void apply(const Event& event);
    void change(State& state, const OwnershipChange& change);
    void addPiece(State& state, const SubBuffer& piece);
    void endPiece(State& state, const Buffer& buffer, const SubBuffer& piece);
    Owned bornOwner(const Buffer& buffer) const;

    const Capture& m_capture;
    const TaskTimeline& m_tasks;
    std::vector<Event> m_events;  ///< by time
    std::size_t m_next = 0;
    std::unordered_map<std::int64_t, State> m_states;  ///< of buffers that anything was said of
};

}  // namespace vramscope::model
