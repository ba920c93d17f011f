// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/phase_table.h"

#include <string_view>

#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

namespace {

// A job that pushes and never pops is wrong, but must not grow the recorder without end.
constexpr std::size_t kMaxOpenRanges = 65536;

struct Names {
    std::optional<std::string_view> domain;  // none: the default one
    std::string_view message;
};

// "domain\nmessage"; the default domain has an empty name.
Names namesOf(const ResolvedCall& call) {
    const std::string_view text = call.text(call.record.text.textBytes);
    const std::size_t split = text.find('\n');
    if (split == std::string_view::npos) return {{}, text};
    return {split > 0 ? std::optional(text.substr(0, split)) : std::nullopt, text.substr(split + 1)};
}

std::optional<std::int64_t> orNull(std::int64_t level) {
    return level >= 0 ? std::optional(level) : std::nullopt;
}

}  // namespace

std::int64_t PhaseTable::insert(const ResolvedCall& call, const char* kind,
                                std::optional<std::int64_t> level) {
    const Names names = namesOf(call);
    const std::int64_t id = m_scope.sink.nextId("phases");
    m_scope.sink.run(
        "INSERT INTO phases(phase_id, process_id, thread_id, domain, name, kind, start_ns, level, nvtx_id) "
        "VALUES(?,?,?,?,?,?,?,?,?)",
        id, m_scope.processId, call.threadId, names.domain, names.message, kind,
        m_scope.sink.sessionTime(call.header().enterTicks), level, call.record.text.handle);
    return id;
}

void PhaseTable::insertLost(const ResolvedCall& call, std::int64_t level) {
    const std::int64_t endNs = m_scope.sink.sessionTime(call.header().enterTicks);
    m_scope.sink.run(
        "INSERT INTO phases(phase_id, process_id, thread_id, domain, name, kind, start_ns, end_ns, level, "
        "nvtx_id, lost) VALUES(?,?,?,?,'','range',?,?,?,?,'begin')",
        m_scope.sink.nextId("phases"), m_scope.processId, call.threadId, namesOf(call).domain, endNs, endNs,
        level, call.record.text.handle);
}

void PhaseTable::close(std::int64_t phaseId, std::uint64_t timeTicks) {
    m_scope.sink.run("UPDATE phases SET end_ns=? WHERE phase_id=?", m_scope.sink.sessionTime(timeTicks),
                     phaseId);
}

void PhaseTable::closeLost(OpenRanges& open, std::int64_t level, std::uint64_t timeTicks) {
    while (!open.empty() && open.back().level >= level) {
        m_scope.sink.run("UPDATE phases SET end_ns=?, lost='end' WHERE phase_id=?",
                         m_scope.sink.sessionTime(timeTicks), open.back().phaseId);
        open.pop_back();
    }
}

void PhaseTable::push(const ResolvedCall& call) {
    const formats::TextPayload& payload = call.record.text;
    OpenRanges& open = m_open[call.threadId][payload.handle];
    const std::int64_t level = formats::phaseLevel(payload.extra);
    if (level >= 0) closeLost(open, level, call.header().enterTicks);
    if (open.size() < kMaxOpenRanges) open.push_back({insert(call, "range", orNull(level)), level});
}

void PhaseTable::pop(const ResolvedCall& call) {
    const formats::TextPayload& payload = call.record.text;
    OpenRanges& open = m_open[call.threadId][payload.handle];
    const std::int64_t level = formats::phaseLevel(payload.extra);
    if (level >= 0) {
        const bool isPushLost = (payload.extra & formats::kPushLost) != 0;
        closeLost(open, isPushLost ? level : level + 1, call.header().enterTicks);
        if (isPushLost) insertLost(call, level);
    }
    // Of another level: its range was opened before recording began.
    if (open.empty() || open.back().level != level) return;
    close(open.back().phaseId, call.header().enterTicks);
    open.pop_back();
}

void PhaseTable::add(const ResolvedCall& call) {
    const std::uint64_t rangeId = call.record.text.handle;
    switch (static_cast<formats::PhaseKind>(call.header().detail)) {
        case formats::PhaseKind::Push:
            return push(call);
        case formats::PhaseKind::Pop:
            return pop(call);
        case formats::PhaseKind::Start:
            if (m_started.size() < kMaxOpenRanges) m_started[rangeId] = insert(call, "process-range");
            break;
        case formats::PhaseKind::End: {
            const auto found = m_started.find(rangeId);
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

Status PhaseTable::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement open,
        capture.prepare("SELECT phase_id, thread_id, nvtx_id, coalesce(level, -1), kind FROM phases WHERE "
                        "process_id=? AND end_ns IS NULL AND kind IN ('range', 'process-range') ORDER BY "
                        "phase_id"));
    return forEachRow(open, m_scope.processId, [this](const formats::Statement& row) {
        const std::uint64_t nvtxId = row.columnAddress(2);
        if (row.columnText(4) == "process-range") {
            m_started[nvtxId] = row.columnInt(0);
        } else {
            m_open[row.columnInt(1)][nvtxId].push_back({row.columnInt(0), row.columnInt(3)});
        }
    });
}

}  // namespace vramscope::collector
