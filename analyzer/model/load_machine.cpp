// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

Status loadMeta(formats::Connection& connection, Capture& capture) {
    return readRows(connection, capture.strings, "meta", "SELECT key, value FROM meta", [&](RowReader& row) {
        std::string_view key;
        std::string_view value;
        row.read(key);
        row.read(value);
        capture.meta.emplace(key, value);
    });
}

Status loadProcesses(formats::Connection& connection, Capture& capture) {
    std::vector<Process> rows;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "processes",
                                       "SELECT process_id, pid, start_ns, end_ns, end_kind, exit_code, "
                                       "exit_signal, executable, command, rank,"
                                       " engine, off_reason FROM processes",
                                       [&](RowReader& row) {
                                           Process& p = rows.emplace_back();
                                           row.read(p.id);
                                           row.read(p.pid);
                                           row.readTime(p.startNs);
                                           row.readTime(p.endNs);
                                           row.read(p.endKind);
                                           row.read(p.exitCode);
                                           row.read(p.exitSignal);
                                           row.read(p.executable);
                                           row.read(p.command);
                                           row.read(p.rank);
                                           row.read(p.engine);
                                           row.read(p.offReason);
                                       }));
    capture.processes = Table<Process, ProcessId>(std::move(rows));
    return Status::ok();
}

Status loadDevices(formats::Connection& connection, Capture& capture) {
    std::vector<Device> rows;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(
        connection, capture.strings, "devices",
        "SELECT device_id, uuid, name, total_bytes, driver_version FROM devices", [&](RowReader& row) {
            Device& d = rows.emplace_back();
            row.read(d.id);
            row.read(d.uuid);
            row.read(d.name);
            row.readBytes(d.totalBytes);
            row.read(d.driverVersion);
        }));
    capture.devices = Table<Device, DeviceId>(std::move(rows));
    return Status::ok();
}

Status loadContexts(formats::Connection& connection, Capture& capture) {
    std::vector<Context> rows;
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "contexts",
                 "SELECT context_id, process_id, device_id, start_ns, end_ns, collector_bytes FROM contexts",
                 [&](RowReader& row) {
                     Context& c = rows.emplace_back();
                     row.read(c.id);
                     row.read(c.processId);
                     row.read(c.deviceId);
                     row.readTime(c.startNs);
                     row.readTime(c.endNs);
                     row.readBytes(c.collectorBytes);
                 }));
    capture.contexts = Table<Context, ContextId>(std::move(rows));
    return Status::ok();
}

Status loadThreadsAndTasks(formats::Connection& connection, Capture& capture) {
    std::vector<Thread> threads;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "threads",
                                       "SELECT thread_id, process_id, tid, name FROM threads",
                                       [&](RowReader& row) {
                                           Thread& t = threads.emplace_back();
                                           row.read(t.id);
                                           row.read(t.processId);
                                           row.read(t.tid);
                                           row.read(t.name);
                                       }));
    capture.threads = Table<Thread, ThreadId>(std::move(threads));
    std::vector<Task> tasks;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "tasks",
                                       "SELECT task_id, name, origin FROM tasks", [&](RowReader& row) {
                                           Task& t = tasks.emplace_back();
                                           row.read(t.id);
                                           row.read(t.name);
                                           row.read(t.origin);
                                       }));
    capture.tasks = Table<Task, TaskId>(std::move(tasks));
    return Status::ok();
}

}  // namespace

Status loadMachine(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(loadMeta(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadProcesses(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadDevices(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadContexts(connection, capture));
    return loadThreadsAndTasks(connection, capture);
}

}  // namespace vramscope::model
