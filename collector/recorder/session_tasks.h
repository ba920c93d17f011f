// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::collector {

class CaptureSink;

/// One --task-by: what makes a task of its own where the program names none.
struct TaskRule {
    enum class Kind { Process, Thread, Stream, Context, Range };
    Kind kind = Kind::Process;
    std::regex
        range;  ///< Range: which NVTX ranges are tasks; its first group, if it has one, is the task's name
};

/// The rule that `text` says, "process", "thread", "stream", "context" or "range:REGEX" (ECMAScript, searched
/// for in the range's message); else a sentence for the user.
StatusOr<TaskRule> parseTaskRule(const std::string& text);

/// The tasks of a session, by name, whichever process names them, and the rules that make more.
class SessionTasks {
public:
    explicit SessionTasks(CaptureSink& sink) : m_sink(sink) {}

    void setRules(std::vector<TaskRule> rules) { m_rules = std::move(rules); }
    /// In the order in which they were given.
    const std::vector<TaskRule>& rules() const { return m_rules; }

    /// The task called `name` that all processes share; its row if it is new. `origin` as in the capture's
    /// table.
    std::int64_t shared(std::string_view name, const char* origin);
    /// The task called `name` of one process.
    std::int64_t ofProcess(std::int64_t processId, std::string_view name, const char* origin);

    /// Takes over the tasks of an interrupted recording.
    Status restore(formats::Connection& capture);

private:
    std::int64_t find(std::int64_t processId, std::string_view name, const char* origin);

    CaptureSink& m_sink;
    std::vector<TaskRule> m_rules;
    std::map<std::pair<std::int64_t, std::string>, std::int64_t, std::less<>>
        m_ids;  ///< by process (0: shared) and name
};

}  // namespace vramscope::collector
