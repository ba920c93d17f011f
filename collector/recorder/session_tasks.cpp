// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/session_tasks.h"

#include "collector/recorder/capture_sink.h"
#include "collector/recorder/or_null.h"

namespace vramscope::collector {

namespace {

// Names that a job makes up without end must not fill the recorder's memory.
constexpr std::size_t kMostTasks = 100'000;
constexpr const char* kTooMany = "(too many tasks)";

}  // namespace

StatusOr<TaskRule> parseTaskRule(const std::string& text) {
    constexpr std::string_view kRange = "range:";
    if (text == "process") return TaskRule{TaskRule::Kind::Process, {}};
    if (text == "thread") return TaskRule{TaskRule::Kind::Thread, {}};
    if (text == "stream") return TaskRule{TaskRule::Kind::Stream, {}};
    if (text == "context") return TaskRule{TaskRule::Kind::Context, {}};
    if (!text.starts_with(kRange)) {
        return Status(ErrorKind::Usage,
                      "a task can be told by process, thread, stream, context or range:REGEX, "
                      "not by `" +
                          text + "`");
    }
    try {
        return TaskRule{TaskRule::Kind::Range, std::regex(text.substr(kRange.size()), std::regex::optimize)};
    } catch (const std::regex_error& error) {
        return Status(ErrorKind::Usage,
                      "`" + text.substr(kRange.size()) + "` is no regular expression: " + error.what());
    }
}

std::int64_t SessionTasks::shared(std::string_view name, const char* origin) {
    return find(0, name, origin);
}

std::int64_t SessionTasks::ofProcess(std::int64_t processId, std::string_view name, const char* origin) {
    return find(processId, name, origin);
}

std::int64_t SessionTasks::find(std::int64_t processId, std::string_view name, const char* origin) {
    const auto found = m_ids.find(std::pair(processId, std::string(name)));
    if (found != m_ids.end()) return found->second;
    if (m_ids.size() >= kMostTasks && name != kTooMany) return find(0, kTooMany, origin);
    const std::int64_t id = m_sink.nextId("tasks");
    m_ids.emplace(std::pair(processId, std::string(name)), id);
    m_sink.run("INSERT INTO tasks(task_id, name, origin, process_id) VALUES(?,?,?,?)", id, name, origin,
               orNull(processId));
    return id;
}

Status SessionTasks::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement tasks,
        capture.prepare("SELECT task_id, name, process_id FROM tasks WHERE origin <> 'process'"));
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, tasks.step());
        if (!hasRow) return Status::ok();
        m_ids.emplace(std::pair(tasks.columnInt(2), std::string(tasks.columnText(1))), tasks.columnInt(0));
    }
}

}  // namespace vramscope::collector
