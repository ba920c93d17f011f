// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/share_table.h"

#include <optional>

#include "collector/recorder/descriptor_table.h"
#include "collector/recorder/or_null.h"
#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

using formats::ShareKind;

namespace {

// A job that exports in ever new ways must not grow the recorder without end; later handles then get a row
// each time.
constexpr std::size_t kMostHandles = 100'000;

bool isExport(ShareKind kind) {
    return kind == ShareKind::MemoryExport || kind == ShareKind::EventExport ||
           kind == ShareKind::HandleExport || kind == ShareKind::PoolExport ||
           kind == ShareKind::PointerExport;
}

std::optional<std::uint64_t> hashOrNull(std::uint64_t hash) {
    return hash != 0 ? std::optional(hash) : std::nullopt;
}
std::optional<std::int32_t> descriptorOrNull(std::int32_t descriptor) {
    return descriptor >= 0 ? std::optional(descriptor) : std::nullopt;
}

}  // namespace

ShareTable::Subject ShareTable::subjectOf(const ResolvedCall& call) {
    const std::uint64_t value = call.record.share.subject;
    const auto bufferAt = [&](const char* kind) {
        const BufferRow* row = m_memory.addresses().find(value, call.header().exitTicks);
        return Subject{.kind = kind, .bufferId = row != nullptr ? row->bufferId : 0};
    };
    switch (static_cast<ShareKind>(call.header().detail)) {
        case ShareKind::MemoryExport:
        case ShareKind::MemoryImport:
            return bufferAt("memory");
        case ShareKind::PointerExport:
        case ShareKind::PointerImport:
            return bufferAt("pool-pointer");
        case ShareKind::EventExport:
        case ShareKind::EventImport:
            return {.kind = "event", .objectId = m_objects.eventOf(value)};
        case ShareKind::HandleExport:
        case ShareKind::HandleImport:
            return {.kind = "vmm", .handleId = m_vmm.idOf(value)};
        case ShareKind::PoolExport:
        case ShareKind::PoolImport:
            return {.kind = "pool", .poolId = m_pools.idOf(value, call.header().exitTicks)};
    }
    return {.kind = "memory"};
}

void ShareTable::share(const ResolvedCall& call) {
    const Subject subject = subjectOf(call);
    if (isExport(static_cast<ShareKind>(call.header().detail)))
        exported(call, subject);
    else
        imported(call, subject);
}

void ShareTable::exported(const ResolvedCall& call, const Subject& subject) {
    const formats::SharePayload& payload = call.record.share;
    const auto known = payload.bytesHash != 0 ? m_handles.find(payload.bytesHash) : m_handles.end();
    // Bytes may come again when what they were for is gone, as those of events do; that is another handle.
    const bool isSame = known != m_handles.end() && known->second.bufferId == subject.bufferId &&
                        known->second.objectId == subject.objectId;
    if (isSame) {
        m_scope.sink.run("UPDATE ipc_handles SET get_count = get_count + 1 WHERE ipc_handle_id=?",
                         known->second.id);
        return;
    }
    const std::int64_t id = m_scope.sink.nextId("ipc_handles");
    m_scope.sink.run(
        "INSERT INTO ipc_handles(ipc_handle_id, process_id, kind, handle_hash, descriptor, buffer_id, "
        "object_id, handle_id, pool_id, get_count, get_ns, thread_id, stack_id) "
        "VALUES(?,?,?,?,?,?,?,?,?,1,?,?,?)",
        id, m_scope.processId, subject.kind, hashOrNull(payload.bytesHash),
        descriptorOrNull(payload.descriptor), orNull(subject.bufferId), orNull(subject.objectId),
        orNull(subject.handleId), orNull(subject.poolId), m_scope.sink.sessionTime(call.header().exitTicks),
        orNull(call.threadId), orNull(call.stackId));
    if (payload.bytesHash != 0 && m_handles.size() < kMostHandles)
        m_handles[payload.bytesHash] = {id, subject.bufferId, subject.objectId};
    if (payload.descriptor < 0 || m_scope.descriptors == nullptr) return;
    for (const std::int64_t import : m_scope.descriptors->exported(m_scope.pid, payload.descriptor, id)) {
        m_scope.sink.run(
            "UPDATE ipc_imports SET ipc_handle_id=?, matched_by='descriptor' WHERE ipc_import_id=?", id,
            import);
    }
}

void ShareTable::imported(const ResolvedCall& call, const Subject& subject) {
    const formats::SharePayload& payload = call.record.share;
    const std::int64_t id = m_scope.sink.nextId("ipc_imports");
    const std::int64_t handle = payload.descriptor >= 0 && m_scope.descriptors != nullptr
                                    ? m_scope.descriptors->find(m_scope.pid, payload.descriptor)
                                    : 0;
    m_scope.sink.run(
        "INSERT INTO ipc_imports(ipc_import_id, process_id, kind, handle_hash, descriptor, ipc_handle_id, "
        "matched_by, buffer_id, object_id, handle_id, pool_id, open_ns, thread_id, stack_id) "
        "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        id, m_scope.processId, subject.kind, hashOrNull(payload.bytesHash),
        descriptorOrNull(payload.descriptor), orNull(handle),
        orNull(std::string_view(handle != 0 ? "descriptor" : "")), orNull(subject.bufferId),
        orNull(subject.objectId), orNull(subject.handleId), orNull(subject.poolId),
        m_scope.sink.sessionTime(call.header().exitTicks), orNull(call.threadId), orNull(call.stackId));
    if (handle == 0 && m_scope.descriptors != nullptr)
        m_scope.descriptors->wait(m_scope.pid, payload.descriptor, id);
    if (subject.bufferId != 0) m_openBuffers[subject.bufferId].push_back(id);
    if (subject.objectId != 0) m_openEvents[subject.objectId] = id;
}

void ShareTable::close(const ResolvedCall& call, std::int64_t importId) {
    m_scope.sink.run("UPDATE ipc_imports SET close_ns=?, close_stack_id=? WHERE ipc_import_id=?",
                     m_scope.sink.sessionTime(call.header().enterTicks), orNull(call.stackId), importId);
}

void ShareTable::closing(const ResolvedCall& call, std::uint64_t address) {
    if (m_openBuffers.empty()) return;
    const BufferPtr buffer = m_memory.addresses().liveAt(address);
    if (buffer == nullptr || buffer->kind != formats::BufferKind::Ipc) return;
    const auto found = m_openBuffers.find(buffer->bufferId);
    if (found == m_openBuffers.end()) return;
    close(call, found->second.front());
    found->second.erase(found->second.begin());
    if (found->second.empty()) m_openBuffers.erase(found);
}

void ShareTable::eventDestroyed(const ResolvedCall& call, std::int64_t objectId) {
    const auto found = m_openEvents.find(objectId);
    if (objectId == 0 || found == m_openEvents.end()) return;
    close(call, found->second);
    m_openEvents.erase(found);
}

void ShareTable::peerAccess(const ResolvedCall& call) {
    const std::uint64_t peer = call.record.peerAccess.peerContext;
    const std::int64_t timeNs = m_scope.sink.sessionTime(call.header().exitTicks);
    if (call.header().detail == 0) {
        const auto found = m_peers.find({call.contextId, peer});
        if (found == m_peers.end()) return;
        m_scope.sink.run("UPDATE peer_accesses SET disable_ns=? WHERE peer_access_id=?", timeNs,
                         found->second);
        m_peers.erase(found);
        return;
    }
    const std::int64_t id = m_scope.sink.nextId("peer_accesses");
    const std::int64_t peerId = m_identities.contextOfHandle(peer);
    m_scope.sink.run(
        "INSERT INTO peer_accesses(peer_access_id, process_id, context_id, peer_context_id, device_id, "
        "peer_device_id, enable_ns) VALUES(?,?,?,?,?,?,?)",
        id, m_scope.processId, orNull(call.contextId), orNull(peerId),
        orNull(m_identities.deviceOfContext(call.contextId)), orNull(m_identities.deviceOfContext(peerId)),
        timeNs);
    m_peers[{call.contextId, peer}] = id;
}

Status ShareTable::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement handles,
        capture.prepare("SELECT ipc_handle_id, handle_hash, buffer_id, object_id FROM ipc_handles WHERE "
                        "process_id=? AND handle_hash IS NOT NULL ORDER BY ipc_handle_id"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(handles, m_scope.processId, [this](const formats::Statement& row) {
        m_handles[row.columnAddress(1)] = {row.columnInt(0), row.columnInt(2), row.columnInt(3)};
    }));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement imports,
        capture.prepare("SELECT ipc_import_id, buffer_id, object_id FROM ipc_imports WHERE process_id=? AND "
                        "close_ns IS NULL ORDER BY ipc_import_id"));
    return forEachRow(imports, m_scope.processId, [this](const formats::Statement& row) {
        if (!row.isNull(1)) m_openBuffers[row.columnInt(1)].push_back(row.columnInt(0));
        if (!row.isNull(2)) m_openEvents[row.columnInt(2)] = row.columnInt(0);
    });
}

}  // namespace vramscope::collector
