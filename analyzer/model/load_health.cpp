// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

Status loadFailedCalls(formats::Connection& connection, Capture& capture) {
    return loadTable(connection, capture.strings, capture.failedCalls, "failed_calls",
                     "failed_call_id, process_id, thread_id, enter_ns, exit_ns, api, family, error,"
                     " error_name, size_bytes, address, context_id, stack_id, repeat_count",
                     [](RowReader& row, FailedCall& f) {
                         row.read(f.id, f.processId, f.threadId);
                         row.readTime(f.enterNs);
                         row.readTime(f.exitNs);
                         row.read(f.api, f.family, f.error, f.errorName);
                         // A failed request may have asked for anything, so its size has no bound but zero.
                         row.read(f.sizeBytes);
                         if (f.sizeBytes < 0) f.sizeBytes = kNever;
                         row.read(f.address, f.contextId, f.stackId, f.repeatCount);
                         if (f.repeatCount < 1) f.repeatCount = 1;
                     });
}

/// Only steps: ranges in loops can be millions and no rule needs them.
Status loadPhases(formats::Connection& connection, Capture& capture) {
    return loadTable(connection, capture.strings, capture.phases,
                     "(SELECT * FROM phases WHERE kind = 'step')",
                     "phase_id, process_id, name, kind, start_ns, end_ns", [](RowReader& row, Phase& p) {
                         row.read(p.id, p.processId, p.name, p.kind);
                         row.readTime(p.startNs);
                         row.readTime(p.endNs);
                     });
}

Status loadJobExceptions(formats::Connection& connection, Capture& capture) {
    return loadTable(connection, capture.strings, capture.jobExceptions, "job_exceptions",
                     "job_exception_id, process_id, time_ns, type, file, line, script_file, script_line,"
                     " repeat_count",
                     [](RowReader& row, JobException& e) {
                         row.read(e.id, e.processId);
                         row.readTime(e.timeNs);
                         row.read(e.type, e.file, e.line, e.scriptFile, e.scriptLine, e.repeatCount);
                     });
}

}  // namespace

Status loadHealth(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(loadFailedCalls(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadPhases(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadJobExceptions(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "drops",
                                       "SELECT process_id, reason, lost_count FROM drops",
                                       [&](RowReader& row) {
                                           Drop& d = capture.drops.emplace_back();
                                           row.read(d.processId, d.reason, d.lostCount);
                                       }));
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "event_counts",
                 "SELECT process_id, type, event_count FROM event_counts ORDER BY process_id, type",
                 [&](RowReader& row) {
                     EventCount& c = capture.eventCounts.emplace_back();
                     row.read(c.processId, c.type, c.eventCount);
                 }));
    return readRows(connection, capture.strings, "notes",
                    "SELECT time_ns, process_id, severity, code, message FROM notes ORDER BY time_ns",
                    [&](RowReader& row) {
                        Note& n = capture.notes.emplace_back();
                        row.readTime(n.timeNs);
                        row.read(n.processId, n.severity, n.code, n.message);
                    });
}

}  // namespace vramscope::model
