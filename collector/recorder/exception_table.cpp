// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/exception_table.h"

#include <optional>
#include <string_view>

namespace vramscope::collector {

namespace {

// Exceptions in ever new places must not grow the recorder without end; later ones get rows of their own.
constexpr std::size_t kMostKnown = 10'000;

std::string_view takeLine(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end != std::string_view::npos ? end + 1 : text.size());
    return line;
}

struct Place {
    std::optional<std::string_view> file;
    std::optional<std::uint64_t> line;
};

Place placeOf(std::string_view file, std::uint64_t line) {
    if (file.empty()) return {};
    return {file, line != 0 ? std::optional(line) : std::nullopt};
}

}  // namespace

void ExceptionTable::add(const ResolvedCall& call) {
    const formats::TextPayload& payload = call.record.text;
    std::string_view text = call.text(payload.textBytes);
    const Key key{text, payload.handle, payload.extra};
    const auto known = m_rows.find(key);
    if (known != m_rows.end()) {
        m_scope.sink.run(
            "UPDATE job_exceptions SET repeat_count = repeat_count + 1, time_ns = ? WHERE job_exception_id = "
            "?",
            m_scope.sink.sessionTime(call.header().enterTicks), known->second);
        return;
    }
    const std::string_view type = takeLine(text);
    const Place raised = placeOf(takeLine(text), payload.handle);
    const Place script = placeOf(takeLine(text), payload.extra);
    const std::int64_t id = m_scope.sink.nextId("job_exceptions");
    m_scope.sink.run(
        "INSERT INTO job_exceptions(job_exception_id, process_id, thread_id, time_ns, type, file, line, "
        "script_file, script_line, repeat_count) VALUES(?,?,?,?,?,?,?,?,?,1)",
        id, m_scope.processId, call.threadId, m_scope.sink.sessionTime(call.header().enterTicks), type,
        raised.file, raised.line, script.file, script.line);
    if (m_rows.size() < kMostKnown) m_rows.emplace(key, id);
}

}  // namespace vramscope::collector
