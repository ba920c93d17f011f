// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

Status loadMeta(formats::Connection& connection, Capture& capture) {
    return readRows(connection, capture.strings, "meta", "SELECT key, value FROM meta", [&](RowReader& row) {
        std::string_view key;
        std::string_view value;
        row.read(key, value);
        capture.meta.emplace(key, value);
    });
}

Status loadProcesses(formats::Connection& connection, Capture& capture) {
    return loadTable(
        connection, capture.strings, capture.processes, "processes",
        "process_id, pid, start_ns, end_ns, end_kind, exit_code, exit_signal, executable, command,"
        " rank, engine, off_reason",
        [](RowReader& row, Process& p) {
            row.read(p.id, p.pid);
            row.readTime(p.startNs);
            row.readTime(p.endNs);
            row.read(p.endKind, p.exitCode, p.exitSignal, p.executable, p.command);
            row.read(p.rank, p.engine, p.offReason);
        });
}

Status loadDevices(formats::Connection& connection, Capture& capture) {
    return loadTable(connection, capture.strings, capture.devices, "devices",
                     "device_id, uuid, name, total_bytes, driver_version", [](RowReader& row, Device& d) {
                         row.read(d.id, d.uuid, d.name);
                         row.readBytes(d.totalBytes);
                         row.read(d.driverVersion);
                     });
}

Status loadContexts(formats::Connection& connection, Capture& capture) {
    return loadTable(connection, capture.strings, capture.contexts, "contexts",
                     "context_id, process_id, device_id, start_ns, end_ns, collector_bytes",
                     [](RowReader& row, Context& c) {
                         row.read(c.id, c.processId, c.deviceId);
                         row.readTime(c.startNs);
                         row.readTime(c.endNs);
                         row.readBytes(c.collectorBytes);
                     });
}

}  // namespace

Status loadMachine(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(loadMeta(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadProcesses(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadDevices(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadContexts(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(
        loadTable(connection, capture.strings, capture.threads, "threads", "thread_id, process_id, tid, name",
                  [](RowReader& row, Thread& t) { row.read(t.id, t.processId, t.tid, t.name); }));
    return loadTable(connection, capture.strings, capture.tasks, "tasks", "task_id, name, origin, process_id",
                     [](RowReader& row, Task& t) { row.read(t.id, t.name, t.origin, t.processId); });
}

}  // namespace vramscope::model
