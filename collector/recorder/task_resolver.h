// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/recorder/open_levels.h"
#include "collector/recorder/process_scope.h"
#include "collector/recorder/session_tasks.h"

namespace vramscope::collector {

/// Whose work the calls of one process are: what the program marks, else what the rules of --task-by say,
/// else the process itself. Works it out from the ordered records and keeps it in `task_spans`; launches and
/// copies carry nothing.
class TaskResolver {
public:
    explicit TaskResolver(ProcessScope& scope);

    /// A Task record.
    void add(const ResolvedCall& call);
    /// A Phase record: a range that a rule may take for a task.
    void addPhase(const ResolvedCall& call);
    void threadStarted(std::int64_t threadId, std::uint64_t tid, const std::string& name,
                       std::uint64_t timeTicks);
    void threadEnded(std::int64_t threadId, std::uint64_t timeTicks);
    void streamAdded(std::int64_t streamId, std::uint64_t timeTicks);
    void contextAdded(std::int64_t contextId, std::uint64_t timeTicks);

    /// The task of a call, and with it of what it allocates; `streamId` 0 for one on no stream.
    std::int64_t taskOf(const ResolvedCall& call, std::int64_t streamId = 0);

    /// Takes over what an interrupted recording left open.
    Status restore(formats::Connection& capture);

private:
    struct OpenTask {
        std::int64_t taskId;
        std::int64_t spanId;
    };
    using OpenTasks = OpenLevels<OpenTask>;
    struct Thread {
        std::string name;
        OpenTasks marks;
        std::map<std::uint64_t, OpenTasks> ranges;  ///< that a rule takes for tasks, by domain
        std::vector<OpenTask> rangeOrder;           ///< the same of all domains, innermost last
        std::vector<OpenTask> delegated;            ///< to it, latest last
        std::int64_t ruleTask = 0;                  ///< by the rule on threads
    };
    /// A delegate() that has not ended.
    struct Delegation {
        std::int64_t byThread;
        std::int64_t taskId;
        std::string threadNames;
        std::uint64_t beginTicks;
    };
    /// Whose work a span tells of; 0 where it does not matter.
    struct Subject {
        std::int64_t threadId = 0;
        std::int64_t streamId = 0;
        std::int64_t contextId = 0;
    };
    struct RangeTask {
        std::string name;
        std::int64_t precedence;
    };

    OpenTask openSpan(const Subject& subject, std::int64_t taskId, const char* basis, std::int64_t precedence,
                      std::int64_t level, std::uint64_t timeTicks);
    void closeSpan(const OpenTask& open, std::uint64_t timeTicks);
    void push(const ResolvedCall& call);
    void pop(const ResolvedCall& call);
    void rangePushed(const ResolvedCall& call);
    void rangePopped(const ResolvedCall& call);
    void closeRanges(Thread& thread, OpenTasks& open, std::int64_t level, std::uint64_t timeTicks);
    void started(std::uint64_t id, std::int64_t taskId, std::uint64_t timeTicks);
    void ended(std::uint64_t id, std::uint64_t timeTicks);
    void delegateBegun(const ResolvedCall& call);
    void delegateEnded(const ResolvedCall& call);
    void lendTo(const Delegation& delegation, std::int64_t threadId, Thread& thread, std::uint64_t timeTicks);
    /// What a rule makes of a range's text ("domain\nmessage"); none when no rule wants it.
    std::optional<RangeTask> rangeTask(std::string_view text) const;
    std::int64_t ruleTaskOf(const ResolvedCall& call, const Thread* thread, std::int64_t streamId);
    std::int64_t named(const ResolvedCall& call);

    void becameActive(std::int64_t taskId, std::uint64_t timeTicks);
    void ceasedActive(std::int64_t taskId, std::uint64_t timeTicks);
    /// Threads without a task take the only one that is active; of several, none can be told to be theirs.
    void activeChanged(std::uint64_t timeTicks);
    void writeProcessRule(std::uint64_t timeTicks);

    ProcessScope& m_scope;
    SessionTasks& m_tasks;
    std::int64_t m_threadRule = 0, m_streamRule = 0,
                 m_contextRule = 0;  ///< their precedence; 0: no such rule
    bool m_hasRangeRule = false;
    bool m_processRuleWritten = false;
    std::unordered_map<std::int64_t, Thread> m_threads;
    std::map<std::int64_t, std::size_t> m_active;               ///< open marks and ranges, by task
    std::unordered_map<std::uint64_t, std::int64_t> m_started;  ///< tasks of no thread, by id
    std::vector<Delegation> m_delegations;
    std::unordered_map<std::int64_t, std::int64_t> m_streamTasks;
    std::unordered_map<std::int64_t, std::int64_t> m_contextTasks;
    std::optional<OpenTask> m_shared;  ///< what threads without a task take
    std::uint64_t m_activeTicks = 0;   ///< when a task became active or ceased to be, the last time
};

}  // namespace vramscope::collector
