// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/vmm_resolver.h"

#include <optional>

#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

namespace {
std::optional<std::int64_t> orNull(std::int64_t id) {
    return id != 0 ? std::optional(id) : std::nullopt;
}
}  // namespace

void VmmResolver::reserve(const ResolvedCall& call) {
    const formats::VmmRangePayload& payload = call.record.vmmRange;
    if (!call.succeeded()) return m_failures.allocFailed(call, payload.sizeBytes);
    const std::int64_t id = m_scope.sink.nextId("vmm_reservations");
    m_reservations[payload.address] = id;
    m_scope.sink.run(
        "INSERT INTO vmm_reservations(reservation_id, process_id, address, size_bytes, start_ns, stack_id) "
        "VALUES(?,?,?,?,?,?)",
        id, m_scope.processId, payload.address, payload.sizeBytes,
        m_scope.sink.sessionTime(call.header().exitTicks), orNull(call.stackId));
}

void VmmResolver::addressFree(const ResolvedCall& call) {
    const formats::VmmRangePayload& payload = call.record.vmmRange;
    if (!call.succeeded()) return m_failures.freeRefused(call, payload.address);
    const auto found = m_reservations.find(payload.address);
    if (found == m_reservations.end()) return;
    m_scope.sink.run("UPDATE vmm_reservations SET end_ns=? WHERE reservation_id=?",
                     m_scope.sink.sessionTime(call.header().enterTicks), found->second);
    m_reservations.erase(found);
}

void VmmResolver::create(const ResolvedCall& call) {
    const formats::VmmHandlePayload& payload = call.record.vmmHandle;
    if (!call.succeeded()) return m_failures.allocFailed(call, payload.sizeBytes);
    const std::int64_t id = m_scope.sink.nextId("vmm_handles");
    const std::int64_t device = m_identities.deviceOfOrdinal(payload.deviceOrdinal);
    if (const auto old = m_handles.find(payload.handle); old != m_handles.end()) {
        m_handleValues.erase(old->second.handleId);
    }
    m_handles[payload.handle] = {id, device, 1, 0};
    m_handleValues[id] = payload.handle;
    m_scope.sink.run(
        "INSERT INTO vmm_handles(handle_id, process_id, handle, size_bytes, device_id, create_ns, "
        "create_thread_id, "
        "create_stack_id, reference_count, mapped_count) VALUES(?,?,?,?,?,?,?,?,1,0)",
        id, m_scope.processId, payload.handle, payload.sizeBytes, orNull(device),
        m_scope.sink.sessionTime(call.header().exitTicks), orNull(call.threadId), orNull(call.stackId));
}

// Physical memory goes back when neither a reference nor a mapping is left; the usual idiom releases while
// mapped.
void VmmResolver::update(const std::uint64_t handle, Handle& state, std::uint64_t timeTicks) {
    const bool isGone = state.references <= 0 && state.mappings <= 0;
    m_scope.sink.run("UPDATE vmm_handles SET reference_count=?, mapped_count=?, end_ns=? WHERE handle_id=?",
                     state.references, state.mappings,
                     isGone ? std::optional(m_scope.sink.sessionTime(timeTicks)) : std::nullopt,
                     state.handleId);
    if (!isGone) return;
    m_handleValues.erase(state.handleId);
    m_handles.erase(handle);
}

void VmmResolver::release(const ResolvedCall& call) {
    const std::uint64_t handle = call.record.vmmHandle.handle;
    if (!call.succeeded()) return m_failures.freeRefused(call, handle);
    const auto found = m_handles.find(handle);
    if (found == m_handles.end()) return;
    Handle& state = found->second;
    if (--state.references <= 0) {
        m_scope.sink.run("UPDATE vmm_handles SET release_ns=?, release_stack_id=? WHERE handle_id=?",
                         m_scope.sink.sessionTime(call.header().enterTicks), orNull(call.stackId),
                         state.handleId);
    }
    update(handle, state, call.header().enterTicks);
}

void VmmResolver::retain(const ResolvedCall& call) {
    const auto found = m_handles.find(call.record.vmmHandle.handle);
    if (!call.succeeded() || found == m_handles.end()) return;
    ++found->second.references;
    update(found->first, found->second, call.header().exitTicks);
}

void VmmResolver::map(const ResolvedCall& call) {
    const formats::VmmRangePayload& payload = call.record.vmmRange;
    if (!call.succeeded()) return m_failures.otherFailed(call);
    const BufferPtr buffer =
        m_memory.makeBuffer(call, formats::BufferKind::Vmm, payload.address, payload.sizeBytes);
    const auto found = m_handles.find(payload.handle);
    if (found != m_handles.end()) {
        buffer->handleId = found->second.handleId;
        buffer->deviceId = found->second.deviceId;
        ++found->second.mappings;
        update(found->first, found->second, call.header().exitTicks);
    }
    m_memory.adopt(buffer);
}

void VmmResolver::unmap(const ResolvedCall& call) {
    const formats::VmmRangePayload& payload = call.record.vmmRange;
    if (!call.succeeded()) return m_failures.freeRefused(call, payload.address);
    // One call may undo several mappings, but never a part of one.
    for (const BufferPtr& buffer :
         m_memory.addresses().liveWithin(payload.address, payload.address + payload.sizeBytes)) {
        if (buffer->kind != formats::BufferKind::Vmm) continue;
        m_memory.end(buffer, call, "unmapped");
        const auto value = m_handleValues.find(buffer->handleId);
        if (value == m_handleValues.end()) continue;
        const auto state = m_handles.find(value->second);
        // The handle's value may have been given out anew after a release that no record told.
        if (state == m_handles.end() || state->second.handleId != buffer->handleId) continue;
        --state->second.mappings;
        update(state->first, state->second, call.header().enterTicks);
    }
}

Status VmmResolver::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement handles,
        capture.prepare("SELECT handle_id, handle, device_id, reference_count, mapped_count FROM "
                        "vmm_handles WHERE process_id=? AND end_ns IS NULL"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(handles, m_scope.processId, [this](const formats::Statement& row) {
        m_handles[row.columnAddress(1)] = {row.columnInt(0), row.columnInt(2),
                                           static_cast<int>(row.columnInt(3)),
                                           static_cast<int>(row.columnInt(4))};
        m_handleValues[row.columnInt(0)] = row.columnAddress(1);
    }));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement reservations,
        capture.prepare(
            "SELECT reservation_id, address FROM vmm_reservations WHERE process_id=? AND end_ns IS NULL"));
    return forEachRow(reservations, m_scope.processId, [this](const formats::Statement& row) {
        m_reservations[row.columnAddress(1)] = row.columnInt(0);
    });
}

}  // namespace vramscope::collector
