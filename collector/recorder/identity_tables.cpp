// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/identity_tables.h"

#include <optional>

#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

namespace {

// Device memory by which a context grows when a tool subscribes to CUPTI: 528.8 against 542.8 MiB in use for
// a trivial program on an H200 (docs/measurements.md). The driver does not tell it at run time.
constexpr std::int64_t kSubscriberContextBytes = 14 << 20;

// The default streams' handles mean another stream in each context (cuda.h: NULL, CU_STREAM_LEGACY,
// CU_STREAM_PER_THREAD).
bool isDefaultStream(std::uint64_t handle) {
    return handle <= 2;
}

std::optional<std::int64_t> orNull(std::int64_t id) {
    return id != 0 ? std::optional(id) : std::nullopt;
}

}  // namespace

void IdentityTables::addDevice(const ResolvedCall& call) {
    const formats::TextPayload& payload = call.record.text;
    const std::string_view text = call.text(payload.textBytes);
    const std::size_t split = text.find('\n');
    if (split == std::string_view::npos) return;
    m_devices[static_cast<std::int32_t>(payload.handle)] = m_scope.devices.idOf(
        std::string(text.substr(0, split)), std::string(text.substr(split + 1)), payload.extra);
}

void IdentityTables::createContext(const ResolvedCall& call) {
    const formats::ContextPayload& payload = call.record.context;
    const std::int64_t id = m_scope.sink.nextId("contexts");
    const std::int64_t device = deviceOfOrdinal(payload.deviceOrdinal);
    m_contexts[call.header().contextUid] = {id, device};
    m_contextDevices[id] = device;
    m_scope.sink.run(
        "INSERT INTO contexts(context_id, process_id, context_uid, handle, device_id, device_ordinal, "
        "is_primary, start_ns, "
        "collector_bytes) VALUES(?,?,?,?,?,?,?,?,?)",
        id, m_scope.processId, call.header().contextUid, payload.context, orNull(device),
        payload.deviceOrdinal >= 0 ? std::optional(payload.deviceOrdinal) : std::nullopt, payload.isPrimary,
        m_scope.sink.sessionTime(call.header().exitTicks), kSubscriberContextBytes);
}

std::int64_t IdentityTables::destroyContext(const ResolvedCall& call) {
    const std::int64_t id = contextOf(call.header().contextUid);
    if (id == 0) return 0;
    m_contexts.erase(call.header().contextUid);
    const std::int64_t endNs = m_scope.sink.sessionTime(call.header().enterTicks);
    m_scope.sink.run("UPDATE contexts SET end_ns=? WHERE context_id=?", endNs, id);
    m_scope.sink.run("UPDATE streams SET end_ns=? WHERE context_id=? AND end_ns IS NULL", endNs, id);
    std::erase_if(m_streams, [id](const auto& entry) { return entry.first.second == id; });
    return id;
}

std::int64_t IdentityTables::insertStream(std::uint64_t handle, std::int64_t contextId, std::uint64_t flags,
                                          std::int64_t priority, std::uint64_t timeTicks) {
    const std::int64_t id = m_scope.sink.nextId("streams");
    m_scope.sink.run(
        "INSERT INTO streams(stream_id, process_id, context_id, handle, flags, priority, start_ns) "
        "VALUES(?,?,?,?,?,?,?)",
        id, m_scope.processId, orNull(contextId), handle, flags, priority,
        m_scope.sink.sessionTime(timeTicks));
    m_streams[{handle, isDefaultStream(handle) ? contextId : 0}] = id;
    return id;
}

void IdentityTables::createStream(const ResolvedCall& call) {
    const formats::StreamPayload& payload = call.record.stream;
    if (!call.succeeded()) return;
    insertStream(payload.stream, call.contextId, payload.flags, payload.priority, call.header().exitTicks);
}

void IdentityTables::destroyStream(const ResolvedCall& call) {
    const auto found = m_streams.find({call.record.stream.stream, 0});
    if (!call.succeeded() || found == m_streams.end()) return;
    m_scope.sink.run("UPDATE streams SET end_ns=? WHERE stream_id=?",
                     m_scope.sink.sessionTime(call.header().enterTicks), found->second);
    m_streams.erase(found);
}

void IdentityTables::nameThing(const ResolvedCall& call) {
    const formats::TextPayload& payload = call.record.text;
    const std::string_view name = call.text(payload.textBytes);
    const auto kind = static_cast<formats::NamedKind>(call.header().detail);
    if (kind == formats::NamedKind::Thread) {
        const auto thread = m_threads.find(static_cast<std::uint32_t>(payload.handle));
        if (thread == m_threads.end()) return;
        m_scope.sink.run("UPDATE threads SET name=? WHERE thread_id=?", name, thread->second);
    } else if (kind == formats::NamedKind::Stream) {
        const std::int64_t stream = streamOf(payload.handle, call.contextId, call.header().exitTicks);
        if (stream != 0) m_scope.sink.run("UPDATE streams SET name=? WHERE stream_id=?", name, stream);
    }
}

std::int64_t IdentityTables::contextOf(std::uint32_t contextUid) const {
    const auto found = m_contexts.find(contextUid);
    return found != m_contexts.end() ? found->second.contextId : 0;
}

std::int64_t IdentityTables::deviceOfContext(std::int64_t contextId) const {
    const auto found = m_contextDevices.find(contextId);
    return found != m_contextDevices.end() ? found->second : 0;
}

std::int64_t IdentityTables::deviceOfOrdinal(std::int32_t ordinal) const {
    const auto found = m_devices.find(ordinal);
    return found != m_devices.end() ? found->second : 0;
}

std::int64_t IdentityTables::streamOf(std::uint64_t handle, std::int64_t contextId, std::uint64_t timeTicks) {
    const auto found = m_streams.find({handle, isDefaultStream(handle) ? contextId : 0});
    if (found != m_streams.end()) return found->second;
    return insertStream(handle, contextId, 0, 0, timeTicks);
}

std::int64_t IdentityTables::threadStarted(std::uint32_t tid, const std::string& name,
                                           std::uint64_t timeTicks) {
    const std::int64_t id = m_scope.sink.nextId("threads");
    m_threads[tid] = id;
    m_scope.sink.run("INSERT INTO threads(thread_id, process_id, tid, name, start_ns) VALUES(?,?,?,?,?)", id,
                     m_scope.processId, tid, !name.empty() ? std::optional(name) : std::nullopt,
                     m_scope.sink.sessionTime(timeTicks));
    return id;
}

std::int64_t IdentityTables::threadOf(std::uint32_t tid) const {
    const auto found = m_threads.find(tid);
    return found != m_threads.end() ? found->second : 0;
}

Status IdentityTables::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement contexts,
        capture.prepare("SELECT context_id, context_uid, device_id, device_ordinal FROM contexts WHERE "
                        "process_id=? AND end_ns IS NULL"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(contexts, m_scope.processId, [this](const formats::Statement& row) {
        m_contexts[static_cast<std::uint32_t>(row.columnInt(1))] = {row.columnInt(0), row.columnInt(2)};
        m_contextDevices[row.columnInt(0)] = row.columnInt(2);
        if (!row.isNull(3)) m_devices[static_cast<std::int32_t>(row.columnInt(3))] = row.columnInt(2);
    }));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement streams,
        capture.prepare("SELECT stream_id, handle, context_id FROM streams WHERE process_id=? AND end_ns "
                        "IS NULL"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(streams, m_scope.processId, [this](const formats::Statement& row) {
        const std::uint64_t handle = row.columnAddress(1);
        m_streams[{handle, isDefaultStream(handle) ? row.columnInt(2) : 0}] = row.columnInt(0);
    }));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement threads,
        capture.prepare("SELECT thread_id, tid FROM threads WHERE process_id=? ORDER BY thread_id"));
    return forEachRow(threads, m_scope.processId, [this](const formats::Statement& row) {
        m_threads[static_cast<std::uint32_t>(row.columnInt(1))] = row.columnInt(0);
    });
}

void IdentityTables::threadEnded(std::int64_t threadId, std::uint64_t timeTicks) {
    m_scope.sink.run("UPDATE threads SET end_ns=? WHERE thread_id=?", m_scope.sink.sessionTime(timeTicks),
                     threadId);
}

}  // namespace vramscope::collector
