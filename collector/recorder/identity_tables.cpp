// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/identity_tables.h"

#include <optional>

#include "collector/recorder/or_null.h"
#include "collector/recorder/restored_rows.h"
#include "collector/recorder/task_resolver.h"

namespace vramscope::collector {

namespace {

// Device memory by which a context grows when a tool subscribes to CUPTI. An estimate: measured with driver
// 580.159.04 on an H200 (docs/measurements.md) and taken for every other. The driver does not tell it, and
// one process cannot measure it: it has no second context without a subscriber to compare with. The collector
// itself allocates nothing on a device.
constexpr std::int64_t kSubscriberContextBytes = 14 << 20;

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
    // One that is made while the process exits has no number; its handle says nothing in other records.
    if (call.header().contextUid != 0) m_contexts[call.header().contextUid] = {id, device, payload.context};
    m_contextDevices[id] = device;
    m_scope.sink.run(
        "INSERT INTO contexts(context_id, process_id, context_uid, handle, device_id, device_ordinal, "
        "is_primary, start_ns, "
        "collector_bytes) VALUES(?,?,?,?,?,?,?,?,?)",
        id, m_scope.processId, call.header().contextUid, payload.context, orNull(device),
        payload.deviceOrdinal >= 0 ? std::optional(payload.deviceOrdinal) : std::nullopt, payload.isPrimary,
        m_scope.sink.sessionTime(call.header().exitTicks), kSubscriberContextBytes);
    if (m_scope.tasks != nullptr) m_scope.tasks->contextAdded(id, call.header().exitTicks);
}

std::uint32_t IdentityTables::endedContext(const ResolvedCall& call) const {
    if (call.header().contextUid != 0) return call.header().contextUid;
    // Ended while the process exits, when CUPTI is not asked for its number any more.
    for (const auto& [uid, context] : m_contexts) {
        if (context.handle == call.record.context.context) return uid;
    }
    return 0;
}

std::int64_t IdentityTables::destroyContext(const ResolvedCall& call) {
    const std::uint32_t uid = endedContext(call);
    const std::int64_t id = contextOf(uid);
    if (id == 0) return 0;
    m_contexts.erase(uid);
    m_contextDevices.erase(id);
    const std::int64_t endNs = m_scope.sink.sessionTime(call.header().enterTicks);
    m_scope.sink.run("UPDATE contexts SET end_ns=? WHERE context_id=?", endNs, id);
    m_scope.sink.run("UPDATE streams SET end_ns=? WHERE context_id=? AND end_ns IS NULL", endNs, id);
    m_recentStreams.forget();
    std::erase_if(m_streams, [id](const auto& entry) { return entry.first.contextId == id; });
    return id;
}

IdentityTables::StreamKey IdentityTables::keyOf(std::uint64_t handle, std::int64_t contextId,
                                                std::int64_t threadId) {
    if (handle == kPerThreadStream) return {handle, contextId, threadId};
    return {handle, handle == kLegacyStream ? contextId : 0, 0};
}

std::int64_t IdentityTables::insertStream(const StreamKey& key, std::int64_t contextId,
                                          const formats::StreamPayload& payload, std::uint64_t timeTicks) {
    const std::int64_t id = m_scope.sink.nextId("streams");
    m_scope.sink.run(
        "INSERT INTO streams(stream_id, process_id, context_id, handle, flags, priority, start_ns, "
        "thread_id) "
        "VALUES(?,?,?,?,?,?,?,?)",
        id, m_scope.processId, orNull(contextId), key.handle, payload.flags, payload.priority,
        m_scope.sink.sessionTime(timeTicks), orNull(key.threadId));
    m_recentStreams.forget();
    m_streams[key] = id;
    if (m_scope.tasks != nullptr) m_scope.tasks->streamAdded(id, timeTicks);
    return id;
}

void IdentityTables::createStream(const ResolvedCall& call) {
    const formats::StreamPayload& payload = call.record.stream;
    insertStream(keyOf(payload.stream, call.contextId, call.threadId), call.contextId, payload,
                 call.header().exitTicks);
}

void IdentityTables::destroyStream(const ResolvedCall& call) {
    const auto found = m_streams.find(keyOf(call.record.stream.stream, 0, 0));
    if (found == m_streams.end()) return;
    m_scope.sink.run("UPDATE streams SET end_ns=? WHERE stream_id=?",
                     m_scope.sink.sessionTime(call.header().enterTicks), found->second);
    m_recentStreams.forget();
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
        const std::int64_t stream = streamOf(call, payload.handle, call.header().exitTicks);
        if (stream != 0) m_scope.sink.run("UPDATE streams SET name=? WHERE stream_id=?", name, stream);
    }
}

std::int64_t IdentityTables::contextOf(std::uint32_t contextUid) const {
    const auto found = m_contexts.find(contextUid);
    return found != m_contexts.end() ? found->second.contextId : 0;
}

std::int64_t IdentityTables::contextOfHandle(std::uint64_t context) const {
    for (const auto& [uid, known] : m_contexts) {
        if (known.handle == context) return known.contextId;
    }
    return 0;
}

std::int64_t IdentityTables::deviceOfContext(std::int64_t contextId) const {
    const auto found = m_contextDevices.find(contextId);
    return found != m_contextDevices.end() ? found->second : 0;
}

std::int64_t IdentityTables::deviceOfOrdinal(std::int32_t ordinal) const {
    const auto found = m_devices.find(ordinal);
    return found != m_devices.end() ? found->second : 0;
}

std::int64_t IdentityTables::streamOf(const ResolvedCall& call, std::uint64_t handle,
                                      std::uint64_t timeTicks) {
    const StreamKey key = keyOf(call.streamMeantBy(handle), call.contextId, call.threadId);
    const std::uint64_t hash = key.handle + static_cast<std::uint64_t>(key.threadId);
    if (const std::int64_t* recent = m_recentStreams.find(hash, key)) return *recent;
    const auto found = m_streams.find(key);
    // A call that failed may have named no stream at all.
    if (found == m_streams.end() && formats::isFailure(call.header().result)) return 0;
    const std::int64_t id =
        found != m_streams.end() ? found->second : insertStream(key, call.contextId, {}, timeTicks);
    m_recentStreams.put(hash, key, id);
    return id;
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
        capture.prepare("SELECT context_id, context_uid, device_id, device_ordinal, handle FROM contexts "
                        "WHERE process_id=? AND end_ns IS NULL"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(contexts, m_scope.processId, [this](const formats::Statement& row) {
        m_contexts[static_cast<std::uint32_t>(row.columnInt(1))] = {row.columnInt(0), row.columnInt(2),
                                                                    row.columnAddress(4)};
        m_contextDevices[row.columnInt(0)] = row.columnInt(2);
        if (!row.isNull(3)) m_devices[static_cast<std::int32_t>(row.columnInt(3))] = row.columnInt(2);
    }));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement streams,
        capture.prepare("SELECT stream_id, handle, context_id, thread_id FROM streams WHERE process_id=? AND "
                        "end_ns IS NULL"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(streams, m_scope.processId, [this](const formats::Statement& row) {
        m_streams[keyOf(row.columnAddress(1), row.columnInt(2), row.columnInt(3))] = row.columnInt(0);
    }));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement threads,
        capture.prepare("SELECT thread_id, tid FROM threads WHERE process_id=? ORDER BY thread_id"));
    return forEachRow(threads, m_scope.processId, [this](const formats::Statement& row) {
        m_threads[static_cast<std::uint32_t>(row.columnInt(1))] = row.columnInt(0);
    });
}

void IdentityTables::threadEnded(std::int64_t threadId, std::uint64_t timeTicks) {
    // Its number may be another thread's by now.
    std::erase_if(m_threads, [threadId](const auto& entry) { return entry.second == threadId; });
    const std::int64_t endNs = m_scope.sink.sessionTime(timeTicks);
    m_scope.sink.run("UPDATE threads SET end_ns=? WHERE thread_id=?", endNs, threadId);
    const auto ended = std::erase_if(m_streams, [threadId](const auto& entry) {
        return threadId != 0 && entry.first.threadId == threadId;
    });
    if (ended == 0) return;
    m_recentStreams.forget();
    m_scope.sink.run("UPDATE streams SET end_ns=? WHERE thread_id=? AND end_ns IS NULL", endNs, threadId);
}

}  // namespace vramscope::collector
