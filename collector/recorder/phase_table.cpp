// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/phase_table.h"

#include <optional>
#include <string_view>

namespace vramscope::collector {

namespace {
// A job that pushes and never pops is wrong, but must not grow the recorder without end.
constexpr std::size_t kMaxOpenRanges = 65536;
}  // namespace

std::int64_t PhaseTable::insert(const ResolvedCall& call, const char* kind) {
    const formats::TextPayload& payload = call.record.text;
    // "domain\nmessage"; the default domain has an empty name.
    const std::string_view text = call.text(payload.textBytes);
    const std::size_t split = text.find('\n');
    const std::string_view domain =
        split != std::string_view::npos ? text.substr(0, split) : std::string_view();
    const std::string_view name = split != std::string_view::npos ? text.substr(split + 1) : text;
    const std::int64_t id = m_scope.sink.nextId("phases");
    m_scope.sink.run(
        "INSERT INTO phases(phase_id, process_id, thread_id, domain, name, kind, start_ns) "
        "VALUES(?,?,?,?,?,?,?)",
        id, m_scope.processId, call.threadId, !domain.empty() ? std::optional(domain) : std::nullopt, name,
        kind, m_scope.sink.sessionTime(call.header().enterTicks));
    return id;
}

void PhaseTable::close(std::int64_t phaseId, std::uint64_t timeTicks) {
    m_scope.sink.run("UPDATE phases SET end_ns=? WHERE phase_id=?", m_scope.sink.sessionTime(timeTicks),
                     phaseId);
}

void PhaseTable::add(const ResolvedCall& call) {
    const std::uint64_t handle =
        call.record.text.handle;  // domain of push and pop, range id of start and end
    switch (static_cast<formats::PhaseKind>(call.header().detail)) {
        case formats::PhaseKind::Push: {
            std::vector<std::int64_t>& open = m_open[call.threadId][handle];
            if (open.size() < kMaxOpenRanges) open.push_back(insert(call, "range"));
            break;
        }
        case formats::PhaseKind::Pop: {
            std::vector<std::int64_t>& open = m_open[call.threadId][handle];
            if (open.empty()) break;
            close(open.back(), call.header().enterTicks);
            open.pop_back();
            break;
        }
        case formats::PhaseKind::Start:
            if (m_started.size() < kMaxOpenRanges) m_started[handle] = insert(call, "process-range");
            break;
        case formats::PhaseKind::End: {
            const auto found = m_started.find(handle);
            if (found == m_started.end()) break;
            close(found->second, call.header().enterTicks);
            m_started.erase(found);
            break;
        }
        case formats::PhaseKind::Mark:
            insert(call, "mark");
            break;
    }
}

}  // namespace vramscope::collector
