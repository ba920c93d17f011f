// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/vmm_resolver.h"

#include <optional>

#include "collector/recorder/or_null.h"
#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

using formats::HandleOrigin;

namespace {

/// Who gets an access.
struct Place {
    const char* name;
    std::optional<std::int32_t> number;
    bool isDevice;
};

// CUmemLocationType of cuda.h 13.0.
Place placeOf(const formats::VmmAccessPayload& payload) {
    switch (payload.locationType) {
        case 1:
            return {"device", payload.locationId, true};
        case 2:
            return {"host", std::nullopt, false};
        case 3:
            return {"host-numa", payload.locationId, false};
        case 4:
            return {"host-numa-current", std::nullopt, false};
        default:
            return {"other", std::nullopt, false};
    }
}

const char* originName(HandleOrigin origin) {
    switch (origin) {
        case HandleOrigin::Created:
            return "created";
        case HandleOrigin::Imported:
            return "imported";
        case HandleOrigin::Multicast:
            return "multicast";
    }
    return "created";
}

// CUmemAccess_flags of cuda.h 13.0.
const char* accessName(std::uint32_t flags) {
    switch (flags) {
        case 0:
            return "none";
        case 1:
            return "read";
        case 3:
            return "read-write";
        default:
            return "other";
    }
}

}  // namespace

void VmmResolver::reserve(const ResolvedCall& call) {
    const formats::VmmRangePayload& payload = call.record.vmmRange;
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
    const auto found = m_reservations.find(payload.address);
    if (found == m_reservations.end()) return;
    m_scope.sink.run("UPDATE vmm_reservations SET end_ns=? WHERE reservation_id=?",
                     m_scope.sink.sessionTime(call.header().enterTicks), found->second);
    m_reservations.erase(found);
}

void VmmResolver::create(const ResolvedCall& call) {
    const formats::VmmHandlePayload& payload = call.record.vmmHandle;
    const std::int64_t id = m_scope.sink.nextId("vmm_handles");
    const std::int64_t device = m_identities.deviceOfOrdinal(payload.deviceOrdinal);
    if (const auto old = m_handles.find(payload.handle); old != m_handles.end()) {
        m_handleValues.erase(old->second.handleId);
    }
    const auto origin = static_cast<HandleOrigin>(call.header().detail);
    m_handles[payload.handle] = {id, device, 1, 0, origin != HandleOrigin::Imported};
    m_handleValues[id] = payload.handle;
    m_scope.sink.run(
        "INSERT INTO vmm_handles(handle_id, process_id, handle, size_bytes, device_id, create_ns, "
        "create_thread_id, "
        "create_stack_id, reference_count, mapped_count, origin) VALUES(?,?,?,?,?,?,?,?,1,0,?)",
        id, m_scope.processId, payload.handle, payload.sizeBytes, orNull(device),
        m_scope.sink.sessionTime(call.header().exitTicks), orNull(call.threadId), orNull(call.stackId),
        originName(origin));
}

void VmmResolver::learnSize(Handle& state, std::uint64_t sizeBytes) {
    if (state.hasSize) return;
    state.hasSize = true;
    m_scope.sink.run("UPDATE vmm_handles SET size_bytes=? WHERE handle_id=?", sizeBytes, state.handleId);
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
    if (found == m_handles.end()) return;
    ++found->second.references;
    update(found->first, found->second, call.header().exitTicks);
}

void VmmResolver::map(const ResolvedCall& call) {
    const formats::VmmRangePayload& payload = call.record.vmmRange;
    const BufferPtr buffer =
        m_memory.makeBuffer(call, formats::BufferKind::Vmm, payload.address, payload.sizeBytes);
    const auto found = m_handles.find(payload.handle);
    if (found != m_handles.end()) {
        buffer->handleId = found->second.handleId;
        buffer->deviceId = found->second.deviceId;
        learnSize(found->second, payload.offset + payload.sizeBytes);
        ++found->second.mappings;
        update(found->first, found->second, call.header().exitTicks);
    }
    m_memory.adopt(buffer);
}

void VmmResolver::unmap(const ResolvedCall& call) {
    const formats::VmmRangePayload& payload = call.record.vmmRange;
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

void VmmResolver::setAccess(const ResolvedCall& call) {
    const formats::VmmAccessPayload& payload = call.record.vmmAccess;
    const Place place = placeOf(payload);
    m_scope.sink.run(
        "INSERT INTO vmm_accesses(vmm_access_id, process_id, thread_id, address, size_bytes, location, "
        "location_number, device_id, access, enter_ns, exit_ns) VALUES(?,?,?,?,?,?,?,?,?,?,?)",
        m_scope.sink.nextId("vmm_accesses"), m_scope.processId, orNull(call.threadId), payload.address,
        payload.sizeBytes, place.name, place.number,
        orNull(place.isDevice ? m_identities.deviceOfOrdinal(payload.locationId) : 0),
        accessName(payload.access), m_scope.sink.sessionTime(call.header().enterTicks),
        m_scope.sink.sessionTime(call.header().exitTicks));
}

Status VmmResolver::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement handles,
        capture.prepare("SELECT handle_id, handle, device_id, reference_count, mapped_count, size_bytes, "
                        "origin FROM vmm_handles WHERE process_id=? AND end_ns IS NULL"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(handles, m_scope.processId, [this](const formats::Statement& row) {
        m_handles[row.columnAddress(1)] = {
            row.columnInt(0), row.columnInt(2), static_cast<int>(row.columnInt(3)),
            static_cast<int>(row.columnInt(4)), row.columnInt(5) != 0 || row.columnText(6) != "imported"};
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
