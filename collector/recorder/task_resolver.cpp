// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/task_resolver.h"

#include <algorithm>
#include <utility>

#include "collector/recorder/or_null.h"
#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

namespace {

constexpr std::int64_t kMarks = 0;
constexpr std::int64_t kDelegated = 1;
constexpr std::int64_t kFirstRule = 2;
constexpr std::int64_t kOnlyActive = 1000;
// A message as long as a record is no name; matching it would take the recorder's time.
constexpr std::size_t kLongestName = 200;

std::string messageOf(std::string_view text) {
    const std::size_t split = text.find('\n');
    return std::string(text.substr(split == std::string_view::npos ? 0 : split + 1).substr(0, kLongestName));
}

}  // namespace

TaskResolver::TaskResolver(ProcessScope& scope) : m_scope(scope), m_tasks(scope.sink.tasks()) {
    std::int64_t precedence = kFirstRule;
    for (const TaskRule& rule : m_tasks.rules()) {
        switch (rule.kind) {
            case TaskRule::Kind::Process:
                return;
            case TaskRule::Kind::Thread:
                if (m_threadRule == 0) m_threadRule = precedence;
                break;
            case TaskRule::Kind::Stream:
                if (m_streamRule == 0) m_streamRule = precedence;
                break;
            case TaskRule::Kind::Context:
                if (m_contextRule == 0) m_contextRule = precedence;
                break;
            case TaskRule::Kind::Range:
                m_hasRangeRule = true;
        }
        ++precedence;
    }
}

TaskResolver::OpenTask TaskResolver::openSpan(const Subject& subject, std::int64_t taskId, const char* basis,
                                              std::int64_t precedence, std::int64_t level,
                                              std::uint64_t timeTicks) {
    const std::int64_t id = m_scope.sink.nextId("task_spans");
    m_scope.sink.run(
        "INSERT INTO task_spans(task_span_id, process_id, thread_id, stream_id, context_id, task_id, basis, "
        "precedence, level, start_ns) VALUES(?,?,?,?,?,?,?,?,?,?)",
        id, m_scope.processId, orNull(subject.threadId), orNull(subject.streamId), orNull(subject.contextId),
        taskId, basis, precedence, level, m_scope.sink.sessionTime(timeTicks));
    return {taskId, id};
}

void TaskResolver::closeSpan(const OpenTask& open, std::uint64_t timeTicks) {
    m_scope.sink.run("UPDATE task_spans SET end_ns=? WHERE task_span_id=?",
                     m_scope.sink.sessionTime(timeTicks), open.spanId);
}

std::int64_t TaskResolver::named(const ResolvedCall& call) {
    return m_tasks.shared(call.text(call.record.text.textBytes).substr(0, kLongestName), "annotation");
}

void TaskResolver::add(const ResolvedCall& call) {
    const formats::TextPayload& payload = call.record.text;
    switch (static_cast<formats::TaskEvent>(call.header().detail)) {
        case formats::TaskEvent::Push:
            return push(call);
        case formats::TaskEvent::Pop:
            return pop(call);
        case formats::TaskEvent::Start:
            return started(payload.handle, named(call), call.header().enterTicks);
        case formats::TaskEvent::End:
            return ended(payload.handle, call.header().enterTicks);
        case formats::TaskEvent::DelegateBegin:
            return delegateBegun(call);
        case formats::TaskEvent::DelegateEnd:
            return delegateEnded(call);
    }
}

void TaskResolver::push(const ResolvedCall& call) {
    const std::uint64_t now = call.header().enterTicks;
    const std::int64_t level = formats::phaseLevel(call.record.text.extra);
    OpenTasks& marks = m_threads[call.threadId].marks;
    const auto close = [&](const OpenTask& lost) {
        closeSpan(lost, now);
        ceasedActive(lost.taskId, now);
    };
    marks.closeFrom(level, close);
    const OpenTask open = openSpan({call.threadId, 0, 0}, named(call), "mark", kMarks, level, now);
    if (!marks.push(level, open)) return closeSpan(open, now);
    becameActive(open.taskId, now);
}

void TaskResolver::pop(const ResolvedCall& call) {
    const std::uint64_t now = call.header().enterTicks;
    m_threads[call.threadId].marks.closeFrom(formats::phaseLevel(call.record.text.extra),
                                             [&](const OpenTask& open) {
                                                 closeSpan(open, now);
                                                 ceasedActive(open.taskId, now);
                                             });
}

void TaskResolver::started(std::uint64_t id, std::int64_t taskId, std::uint64_t timeTicks) {
    constexpr std::size_t kMost = 65'536;
    if (m_started.size() < kMost && m_started.emplace(id, taskId).second) becameActive(taskId, timeTicks);
}

void TaskResolver::ended(std::uint64_t id, std::uint64_t timeTicks) {
    const auto found = m_started.find(id);
    if (found == m_started.end()) return;
    const std::int64_t taskId = found->second;
    m_started.erase(found);
    ceasedActive(taskId, timeTicks);
}

// --- ranges that a rule takes for tasks ---

std::optional<TaskResolver::RangeTask> TaskResolver::rangeTask(std::string_view text) const {
    const std::string message = messageOf(text);
    std::int64_t precedence = kFirstRule;
    for (const TaskRule& rule : m_tasks.rules()) {
        std::smatch match;
        if (rule.kind == TaskRule::Kind::Process) break;
        if (rule.kind == TaskRule::Kind::Range && std::regex_search(message, match, rule.range)) {
            const bool hasName = match.size() > 1 && match[1].length() > 0;
            return RangeTask{hasName ? match[1].str() : message, precedence};
        }
        ++precedence;
    }
    return std::nullopt;
}

void TaskResolver::addPhase(const ResolvedCall& call) {
    if (!m_hasRangeRule) return;
    const formats::TextPayload& payload = call.record.text;
    switch (static_cast<formats::PhaseKind>(call.header().detail)) {
        case formats::PhaseKind::Push:
            return rangePushed(call);
        case formats::PhaseKind::Pop:
            return rangePopped(call);
        case formats::PhaseKind::Start:
            if (const auto task = rangeTask(call.text(payload.textBytes)))
                started(payload.handle, m_tasks.shared(task->name, "rule"), call.header().enterTicks);
            return;
        case formats::PhaseKind::End:
            return ended(payload.handle, call.header().enterTicks);
        case formats::PhaseKind::Mark:
            return;
    }
}

void TaskResolver::closeRanges(Thread& thread, OpenTasks& open, std::int64_t level, std::uint64_t timeTicks) {
    open.closeFrom(level, [&](const OpenTask& task) {
        closeSpan(task, timeTicks);
        std::erase_if(thread.rangeOrder, [&](const OpenTask& other) { return other.spanId == task.spanId; });
        ceasedActive(task.taskId, timeTicks);
    });
}

void TaskResolver::rangePushed(const ResolvedCall& call) {
    const formats::TextPayload& payload = call.record.text;
    const std::int64_t level = formats::phaseLevel(payload.extra);
    if (level < 0) return;
    const std::uint64_t now = call.header().enterTicks;
    Thread& thread = m_threads[call.threadId];
    OpenTasks& open = thread.ranges[payload.handle];
    closeRanges(thread, open, level, now);
    const auto task = rangeTask(call.text(payload.textBytes));
    if (!task) return;
    const auto depth = static_cast<std::int64_t>(thread.rangeOrder.size());
    const OpenTask made = openSpan({call.threadId, 0, 0}, m_tasks.shared(task->name, "rule"), "range",
                                   task->precedence, depth, now);
    if (!open.push(level, made)) return closeSpan(made, now);
    thread.rangeOrder.push_back(made);
    becameActive(made.taskId, now);
}

void TaskResolver::rangePopped(const ResolvedCall& call) {
    const std::int64_t level = formats::phaseLevel(call.record.text.extra);
    Thread& thread = m_threads[call.threadId];
    const auto found = thread.ranges.find(call.record.text.handle);
    if (level >= 0 && found != thread.ranges.end())
        closeRanges(thread, found->second, level, call.header().enterTicks);
}

// --- tasks lent to other threads ---

void TaskResolver::delegateBegun(const ResolvedCall& call) {
    constexpr std::size_t kMost = 1024;
    if (m_delegations.size() >= kMost) return;
    m_delegations.push_back({call.threadId, taskOf(call), std::string(call.text(call.record.text.textBytes)),
                             call.header().enterTicks});
    for (auto& [threadId, thread] : m_threads)
        lendTo(m_delegations.back(), threadId, thread, call.header().enterTicks);
}

void TaskResolver::lendTo(const Delegation& delegation, std::int64_t threadId, Thread& thread,
                          std::uint64_t timeTicks) {
    const bool isAnybodys = delegation.taskId == m_scope.taskId;
    if (isAnybodys || threadId == delegation.byThread || !thread.name.starts_with(delegation.threadNames))
        return;
    const bool isDisputed = !thread.delegated.empty() && thread.delegated.back().taskId != delegation.taskId;
    // Two backward calls at once share the threads: whose work it is cannot be told.
    const std::int64_t task =
        isDisputed ? m_tasks.ofProcess(m_scope.processId, "unassigned", "unassigned") : delegation.taskId;
    thread.delegated.push_back(openSpan({threadId, 0, 0}, task, isDisputed ? "unassigned" : "delegated",
                                        kDelegated, static_cast<std::int64_t>(thread.delegated.size()),
                                        timeTicks));
}

void TaskResolver::delegateEnded(const ResolvedCall& call) {
    const auto isOurs = [&](const Delegation& one) {
        return one.byThread == call.threadId || one.byThread == 0;
    };
    const auto found = std::find_if(m_delegations.rbegin(), m_delegations.rend(), isOurs);
    if (found == m_delegations.rend()) return;
    m_delegations.erase(std::next(found).base());
    const std::uint64_t now = call.header().enterTicks;
    for (auto& [threadId, thread] : m_threads) {
        for (const OpenTask& open : thread.delegated)
            closeSpan(open, now);
        thread.delegated.clear();
        // What is still lent, in the same order.
        for (const Delegation& delegation : m_delegations)
            lendTo(delegation, threadId, thread, now);
    }
}

// --- threads, streams, contexts ---

void TaskResolver::threadStarted(std::int64_t threadId, std::uint64_t tid, const std::string& name,
                                 std::uint64_t timeTicks) {
    writeProcessRule(timeTicks);
    Thread& thread = m_threads[threadId];
    thread.name = name;
    if (m_threadRule != 0) {
        const std::string label = (name.empty() ? "thread" : name) + " " + std::to_string(tid);
        thread.ruleTask = m_tasks.ofProcess(m_scope.processId, label, "rule");
        openSpan({threadId, 0, 0}, thread.ruleTask, "thread", m_threadRule, 0, timeTicks);
    }
    // Threads are told of ahead of their time: what is lent to this one, and what it takes, is dated by what
    // was marked, since before its first call it did nothing.
    for (const Delegation& delegation : m_delegations)
        lendTo(delegation, threadId, thread, delegation.beginTicks);
    activeChanged(m_activeTicks != 0 ? m_activeTicks : timeTicks);
}

void TaskResolver::threadEnded(std::int64_t threadId, std::uint64_t timeTicks) {
    const auto found = m_threads.find(threadId);
    if (found == m_threads.end()) return;
    Thread thread = std::move(found->second);
    m_threads.erase(found);
    thread.marks.closeFrom(0, [&](const OpenTask& open) {
        closeSpan(open, timeTicks);
        ceasedActive(open.taskId, timeTicks);
    });
    for (auto& [domain, open] : thread.ranges)
        closeRanges(thread, open, 0, timeTicks);
    for (const OpenTask& open : thread.delegated)
        closeSpan(open, timeTicks);
    activeChanged(timeTicks);
}

void TaskResolver::streamAdded(std::int64_t streamId, std::uint64_t timeTicks) {
    if (m_streamRule == 0) return;
    const std::string label = "stream " + std::to_string(m_streamTasks.size() + 1);
    const std::int64_t task = m_tasks.ofProcess(m_scope.processId, label, "rule");
    m_streamTasks.emplace(streamId, task);
    openSpan({0, streamId, 0}, task, "stream", m_streamRule, 0, timeTicks);
}

void TaskResolver::contextAdded(std::int64_t contextId, std::uint64_t timeTicks) {
    if (m_contextRule == 0) return;
    const std::string label = "context " + std::to_string(m_contextTasks.size() + 1);
    const std::int64_t task = m_tasks.ofProcess(m_scope.processId, label, "rule");
    m_contextTasks.emplace(contextId, task);
    openSpan({0, 0, contextId}, task, "context", m_contextRule, 0, timeTicks);
}

void TaskResolver::writeProcessRule(std::uint64_t timeTicks) {
    if (std::exchange(m_processRuleWritten, true)) return;
    std::int64_t precedence = kFirstRule;
    for (const TaskRule& rule : m_tasks.rules()) {
        if (rule.kind == TaskRule::Kind::Process) {
            openSpan({}, m_scope.taskId, "process", precedence, 0, timeTicks);
            return;
        }
        ++precedence;
    }
}

// --- whose work it is ---

std::int64_t TaskResolver::ruleTaskOf(const ResolvedCall& call, const Thread* thread, std::int64_t streamId) {
    for (const TaskRule& rule : m_tasks.rules()) {
        std::int64_t task = 0;
        if (rule.kind == TaskRule::Kind::Process) return m_scope.taskId;
        if (rule.kind == TaskRule::Kind::Thread && thread != nullptr) task = thread->ruleTask;
        if (rule.kind == TaskRule::Kind::Range && thread != nullptr && !thread->rangeOrder.empty())
            task = thread->rangeOrder.back().taskId;
        if (rule.kind == TaskRule::Kind::Stream) {
            const auto found = m_streamTasks.find(streamId);
            if (found != m_streamTasks.end()) task = found->second;
        }
        if (rule.kind == TaskRule::Kind::Context) {
            const auto found = m_contextTasks.find(call.contextId);
            if (found != m_contextTasks.end()) task = found->second;
        }
        if (task != 0) return task;
    }
    return 0;
}

std::int64_t TaskResolver::taskOf(const ResolvedCall& call, std::int64_t streamId) {
    const auto found = m_threads.find(call.threadId);
    const Thread* thread = found != m_threads.end() ? &found->second : nullptr;
    if (thread != nullptr && !thread->marks.empty()) return thread->marks.innermost().taskId;
    if (thread != nullptr && !thread->delegated.empty()) return thread->delegated.back().taskId;
    if (const std::int64_t task = ruleTaskOf(call, thread, streamId); task != 0) return task;
    return m_shared ? m_shared->taskId : m_scope.taskId;
}

void TaskResolver::becameActive(std::int64_t taskId, std::uint64_t timeTicks) {
    if (++m_active[taskId] > 1) return;
    m_activeTicks = timeTicks;
    activeChanged(timeTicks);
}

void TaskResolver::ceasedActive(std::int64_t taskId, std::uint64_t timeTicks) {
    const auto found = m_active.find(taskId);
    if (found == m_active.end() || --found->second > 0) return;
    m_active.erase(found);
    m_activeTicks = timeTicks;
    activeChanged(timeTicks);
}

void TaskResolver::activeChanged(std::uint64_t timeTicks) {
    // A process of one thread has nobody to take a task from it; most programs need no rows here.
    const bool isAlone = m_threads.size() < 2 && m_started.empty();
    std::int64_t wanted = 0;
    if (!isAlone && m_active.size() == 1) wanted = m_active.begin()->first;
    if (!isAlone && m_active.size() > 1)
        wanted = m_tasks.ofProcess(m_scope.processId, "unassigned", "unassigned");
    if (wanted == (m_shared ? m_shared->taskId : 0)) return;
    if (m_shared) closeSpan(*m_shared, timeTicks);
    m_shared.reset();
    if (wanted == 0) return;
    m_shared =
        openSpan({}, wanted, m_active.size() == 1 ? "only-active" : "unassigned", kOnlyActive, 0, timeTicks);
}

Status TaskResolver::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement threads,
        capture.prepare("SELECT thread_id, name FROM threads WHERE process_id=? AND end_ns IS NULL"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(threads, m_scope.processId, [this](const formats::Statement& row) {
        m_threads[row.columnInt(0)].name = row.columnText(1);
    }));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement open,
        capture.prepare("SELECT task_span_id, coalesce(thread_id, 0), coalesce(stream_id, 0), "
                        "coalesce(context_id, 0), task_id, basis, level FROM task_spans WHERE process_id=? "
                        "AND end_ns IS NULL ORDER BY task_span_id"));
    return forEachRow(open, m_scope.processId, [this](const formats::Statement& row) {
        const OpenTask task{row.columnInt(4), row.columnInt(0)};
        const std::int64_t thread = row.columnInt(1);
        const std::string_view basis = row.columnText(5);
        if (basis == "process") m_processRuleWritten = true;
        if (basis == "stream") m_streamTasks.emplace(row.columnInt(2), task.taskId);
        if (basis == "context") m_contextTasks.emplace(row.columnInt(3), task.taskId);
        if (basis == "thread") m_threads[thread].ruleTask = task.taskId;
        if (basis == "only-active" || (basis == "unassigned" && thread == 0)) m_shared = task;
        if (basis == "mark" && m_threads[thread].marks.push(row.columnInt(6), task)) ++m_active[task.taskId];
        if (basis == "delegated") {
            m_threads[thread].delegated.push_back(task);
            m_delegations.push_back({0, task.taskId, m_threads[thread].name, 0});
        }
    });
}

}  // namespace vramscope::collector
