// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/object_table.h"

#include <optional>

#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

namespace {

std::optional<std::int64_t> orNull(std::int64_t id) {
    return id != 0 ? std::optional(id) : std::nullopt;
}

const char* objectKindName(formats::ObjectKind kind) {
    switch (kind) {
        case formats::ObjectKind::Event:
            return "event";
        case formats::ObjectKind::Texture:
            return "texture";
        case formats::ObjectKind::Surface:
            return "surface";
        case formats::ObjectKind::Graph:
            return "graph";
        case formats::ObjectKind::GraphExec:
            return "graph-exec";
        case formats::ObjectKind::ContextReference:
            return "context-reference";
        case formats::ObjectKind::Module:
            return "module";
        case formats::ObjectKind::Stream:
            return "stream";
    }
    return "event";
}

}  // namespace

void ObjectTable::create(const ResolvedCall& call) {
    if (!call.succeeded()) return m_failures.otherFailed(call);
    const std::uint64_t handle = call.record.object.handle;
    // The driver gave the handle out again, so the old object is gone, in a way that no record told.
    const auto old = m_objects.find({call.header().detail, handle});
    if (old != m_objects.end()) {
        m_scope.sink.run("UPDATE objects SET destroy_ns=?, end_kind='replaced' WHERE object_id=?",
                         m_scope.sink.sessionTime(call.header().enterTicks), old->second.objectId);
    }
    const std::int64_t id = m_scope.sink.nextId("objects");
    m_objects[{call.header().detail, handle}] = {id, call.contextId};
    m_scope.sink.run(
        "INSERT INTO objects(object_id, process_id, kind, handle, context_id, create_ns, create_stack_id) "
        "VALUES(?,?,?,?,?,?,?)",
        id, m_scope.processId, objectKindName(static_cast<formats::ObjectKind>(call.header().detail)), handle,
        orNull(call.contextId), m_scope.sink.sessionTime(call.header().exitTicks), orNull(call.stackId));
}

void ObjectTable::destroy(const ResolvedCall& call) {
    const std::uint64_t handle = call.record.object.handle;
    if (!call.succeeded()) return m_failures.freeRefused(call, handle);
    const auto found = m_objects.find({call.header().detail, handle});
    if (found == m_objects.end()) return;
    m_scope.sink.run(
        "UPDATE objects SET destroy_ns=?, destroy_stack_id=?, end_kind='destroyed' WHERE object_id=?",
        m_scope.sink.sessionTime(call.header().enterTicks), orNull(call.stackId), found->second.objectId);
    m_objects.erase(found);
}

void ObjectTable::endAll(std::int64_t contextId, std::uint64_t timeTicks, std::string_view endKind) {
    for (auto at = m_objects.begin(); at != m_objects.end();) {
        if (contextId != 0 && at->second.contextId != contextId) {
            ++at;
            continue;
        }
        m_scope.sink.run("UPDATE objects SET destroy_ns=?, end_kind=? WHERE object_id=?",
                         m_scope.sink.sessionTime(timeTicks), endKind, at->second.objectId);
        at = m_objects.erase(at);
    }
}

std::int64_t ObjectTable::eventOf(std::uint64_t handle) const {
    const auto found = m_objects.find({static_cast<std::uint8_t>(formats::ObjectKind::Event), handle});
    return found != m_objects.end() ? found->second.objectId : 0;
}

Status ObjectTable::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement objects,
                               capture.prepare("SELECT object_id, kind, handle, context_id FROM objects "
                                               "WHERE process_id=? AND end_kind IS NULL"));
    return forEachRow(objects, m_scope.processId, [this](const formats::Statement& row) {
        for (std::uint8_t kind = 0; kind <= static_cast<std::uint8_t>(formats::ObjectKind::Stream); ++kind) {
            if (row.columnText(1) != objectKindName(static_cast<formats::ObjectKind>(kind))) continue;
            m_objects[{kind, row.columnAddress(2)}] = {row.columnInt(0), row.columnInt(3)};
        }
    });
}

}  // namespace vramscope::collector
