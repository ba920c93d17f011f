// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/task_timeline.h"

#include <algorithm>
#include <set>

namespace vramscope::model {

bool isSure(TaskBasis basis) {
    return basis == TaskBasis::Process || basis == TaskBasis::Mark || basis == TaskBasis::Delegated ||
           basis == TaskBasis::Range;
}

bool isGuessed(TaskBasis basis) {
    return basis == TaskBasis::Thread || basis == TaskBasis::Stream || basis == TaskBasis::Context;
}

TaskTimeline::TaskTimeline(const Capture& capture) {
    for (const Task& task : capture.tasks) {
        if (task.origin == "process") m_ownTasks.emplace(task.processId, task.id);
    }
    std::map<Subject, std::vector<const TaskSpan*>> spans;
    for (const TaskSpan& span : capture.taskSpans) {
        // A span that says "the process" of everything is what would be said without it.
        const bool isOwnTask = span.basis == TaskBasis::Process && span.threadId.isNone();
        if (isOwnTask) m_ownTasks[span.processId] = span.taskId;
        spans[{span.processId, span.threadId, span.streamId, span.contextId}].push_back(&span);
    }
    for (auto& [subject, ofSubject] : spans)
        m_bySubject.emplace(subject, flatten(std::move(ofSubject)));
}

std::vector<TaskTimeline::Segment> TaskTimeline::flatten(std::vector<const TaskSpan*> spans) {
    struct Edge {
        std::int64_t timeNs;
        bool isStart;
        const TaskSpan* span;
    };
    std::vector<Edge> edges;
    for (const TaskSpan* span : spans) {
        if (span->endNs <= span->startNs) continue;
        edges.push_back({span->startNs, true, span});
        if (span->endNs != kNever) edges.push_back({span->endNs, false, span});
    }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const Edge& a, const Edge& b) { return a.timeNs < b.timeNs; });
    const auto counts = [](const TaskSpan* a, const TaskSpan* b) {
        return std::tuple(a->precedence, -a->level, -a->startNs, a) <
               std::tuple(b->precedence, -b->level, -b->startNs, b);
    };
    std::set<const TaskSpan*, decltype(counts)> open(counts);
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges[i].isStart)
            open.insert(edges[i].span);
        else
            open.erase(edges[i].span);
        if (i + 1 < edges.size() && edges[i + 1].timeNs == edges[i].timeNs) continue;
        const TaskSpan* now = open.empty() ? nullptr : *open.begin();
        if (segments.empty() || segments.back().span != now) segments.push_back({edges[i].timeNs, now});
    }
    return segments;
}

const TaskSpan* TaskTimeline::spanAt(const Subject& subject, std::int64_t timeNs) const {
    const auto found = m_bySubject.find(subject);
    if (found == m_bySubject.end()) return nullptr;
    const auto after = std::upper_bound(
        found->second.begin(), found->second.end(), timeNs,
        [](std::int64_t wanted, const Segment& segment) { return wanted < segment.startNs; });
    return after == found->second.begin() ? nullptr : std::prev(after)->span;
}

TaskAt TaskTimeline::at(ProcessId process, ThreadId thread, StreamId stream, ContextId context,
                        std::int64_t timeNs) const {
    const TaskSpan* best = nullptr;
    const auto consider = [&](const Subject& subject) {
        const TaskSpan* span = spanAt(subject, timeNs);
        if (span != nullptr && (best == nullptr || span->precedence < best->precedence)) best = span;
    };
    if (!m_bySubject.empty()) {
        if (!thread.isNone()) consider({process, thread, {}, {}});
        if (!stream.isNone()) consider({process, {}, stream, {}});
        if (!context.isNone()) consider({process, {}, {}, context});
        consider({process, {}, {}, {}});
    }
    if (best != nullptr) return {best->taskId, best->basis};
    return {ownTaskOf(process), TaskBasis::Process};
}

TaskAt TaskTimeline::ownerAtBirth(const Buffer& buffer) const {
    TaskAt owner =
        at(buffer.processId, buffer.allocThreadId, buffer.streamId, buffer.contextId, buffer.allocNs);
    // What the recorder wrote down counts; how it knew is what the spans say.
    if (!buffer.taskId.isNone()) owner.id = buffer.taskId;
    return owner;
}

TaskId TaskTimeline::ownTaskOf(ProcessId process) const {
    const auto found = m_ownTasks.find(process);
    return found == m_ownTasks.end() ? TaskId() : found->second;
}

}  // namespace vramscope::model
