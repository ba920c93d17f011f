// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

Status loadFailedCalls(formats::Connection& connection, Capture& capture) {
    std::vector<FailedCall> rows;
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "failed_calls",
                 "SELECT failed_call_id, process_id, thread_id, enter_ns, exit_ns, api, family, error,"
                 " error_name, size_bytes, address, context_id, stack_id, repeat_count FROM failed_calls",
                 [&](RowReader& row) {
                     FailedCall& f = rows.emplace_back();
                     row.read(f.id);
                     row.read(f.processId);
                     row.read(f.threadId);
                     row.readTime(f.enterNs);
                     row.readTime(f.exitNs);
                     row.read(f.api);
                     row.read(f.family);
                     row.read(f.error);
                     row.read(f.errorName);
                     // A failed request may have asked for anything, so its size has no bound but zero.
                     row.read(f.sizeBytes);
                     if (f.sizeBytes < 0) f.sizeBytes = kNever;
                     row.read(f.address);
                     row.read(f.contextId);
                     row.read(f.stackId);
                     row.read(f.repeatCount);
                     if (f.repeatCount < 1) f.repeatCount = 1;
                 }));
    capture.failedCalls = Table<FailedCall, FailedCallId>(std::move(rows));
    return Status::ok();
}

Status loadPhases(formats::Connection& connection, Capture& capture) {
    // Only steps are read: ranges in loops can be millions and no rule needs them.
    std::vector<Phase> rows;
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "phases",
                 "SELECT phase_id, process_id, name, kind, start_ns, end_ns FROM phases WHERE kind = 'step'",
                 [&](RowReader& row) {
                     Phase& p = rows.emplace_back();
                     row.read(p.id);
                     row.read(p.processId);
                     row.read(p.name);
                     row.read(p.kind);
                     row.readTime(p.startNs);
                     row.readTime(p.endNs);
                 }));
    capture.phases = Table<Phase, PhaseId>(std::move(rows));
    return Status::ok();
}

}  // namespace

Status loadHealth(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(loadFailedCalls(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadPhases(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "drops",
                                       "SELECT process_id, reason, lost_count FROM drops",
                                       [&](RowReader& row) {
                                           Drop& d = capture.drops.emplace_back();
                                           row.read(d.processId);
                                           row.read(d.reason);
                                           row.read(d.lostCount);
                                       }));
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "event_counts",
                 "SELECT process_id, type, event_count FROM event_counts ORDER BY process_id, type",
                 [&](RowReader& row) {
                     EventCount& c = capture.eventCounts.emplace_back();
                     row.read(c.processId);
                     row.read(c.type);
                     row.read(c.eventCount);
                 }));
    return readRows(connection, capture.strings, "notes",
                    "SELECT time_ns, process_id, severity, code, message FROM notes ORDER BY time_ns",
                    [&](RowReader& row) {
                        Note& n = capture.notes.emplace_back();
                        row.readTime(n.timeNs);
                        row.read(n.processId);
                        row.read(n.severity);
                        row.read(n.code);
                        row.read(n.message);
                    });
}

}  // namespace vramscope::model
