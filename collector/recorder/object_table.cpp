// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/object_table.h"

#include <optional>

#include "collector/recorder/or_null.h"
#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

using formats::ObjectKind;

namespace {

const char* objectKindName(ObjectKind kind) {
    switch (kind) {
        case ObjectKind::Event:
            return "event";
        case ObjectKind::Texture:
            return "texture";
        case ObjectKind::Surface:
            return "surface";
        case ObjectKind::Graph:
            return "graph";
        case ObjectKind::GraphExec:
            return "graph-exec";
        case ObjectKind::ContextReference:
            return "context-reference";
        case ObjectKind::Module:
            return "module";
        case ObjectKind::Stream:
            return "stream";
    }
    return "event";
}

}  // namespace

bool ObjectTable::create(const ResolvedCall& call) {
    const Key key{call.header().detail, call.record.object.handle};
    // A capture into a graph that the job made before gives that graph back.
    const bool mayBeKnown = (call.record.object.flags & formats::kGraphOfCapture) != 0;
    if (mayBeKnown && m_objects.contains(key)) return false;
    add(call, key);
    return true;
}

void ObjectTable::streamCreated(const ResolvedCall& call) {
    add(call, {static_cast<std::uint8_t>(ObjectKind::Stream), call.record.stream.stream});
}

void ObjectTable::add(const ResolvedCall& call, Key key) {
    // The driver gave the handle out again, so the old object is gone, in a way that no record told.
    const auto old = m_objects.find(key);
    if (old != m_objects.end()) endRow(old->second.objectId, call.header().enterTicks, "replaced");
    m_objects[key] = {insertRow(call, static_cast<ObjectKind>(key.first), key.second, call.contextId),
                      call.contextId};
}

std::int64_t ObjectTable::insertRow(const ResolvedCall& call, ObjectKind kind, std::uint64_t handle,
                                    std::int64_t contextId) {
    const std::int64_t id = m_scope.sink.nextId("objects");
    // A stream's record has other fields than the rest.
    const bool isShared =
        kind == ObjectKind::Event && (call.record.object.flags & formats::kSharedEvent) != 0;
    m_scope.sink.run(
        "INSERT INTO objects(object_id, process_id, kind, handle, context_id, create_ns, create_stack_id, "
        "is_shared) VALUES(?,?,?,?,?,?,?,?)",
        id, m_scope.processId, objectKindName(kind), handle, orNull(contextId),
        m_scope.sink.sessionTime(call.header().exitTicks), orNull(call.stackId), isShared ? 1 : 0);
    return id;
}

void ObjectTable::destroy(const ResolvedCall& call) {
    const std::uint64_t handle = call.record.object.handle;
    remove(call, {call.header().detail, handle});
}

void ObjectTable::streamDestroyed(const ResolvedCall& call) {
    remove(call, {static_cast<std::uint8_t>(ObjectKind::Stream), call.record.stream.stream});
}

void ObjectTable::remove(const ResolvedCall& call, Key key) {
    const auto found = m_objects.find(key);
    if (found == m_objects.end()) return;
    endRow(call, found->second.objectId);
    m_objects.erase(found);
}

void ObjectTable::endRow(const ResolvedCall& call, std::int64_t objectId) {
    m_scope.sink.run(
        "UPDATE objects SET destroy_ns=?, destroy_stack_id=?, end_kind='destroyed' WHERE object_id=?",
        m_scope.sink.sessionTime(call.header().enterTicks), orNull(call.stackId), objectId);
}

void ObjectTable::endRow(std::int64_t objectId, std::uint64_t timeTicks, std::string_view endKind) {
    m_scope.sink.run("UPDATE objects SET destroy_ns=?, end_kind=? WHERE object_id=?",
                     m_scope.sink.sessionTime(timeTicks), endKind, objectId);
}

void ObjectTable::endAll(std::int64_t contextId, std::uint64_t timeTicks, std::string_view endKind) {
    for (auto at = m_objects.begin(); at != m_objects.end();) {
        if (contextId != 0 && at->second.contextId != contextId) {
            ++at;
            continue;
        }
        endRow(at->second.objectId, timeTicks, endKind);
        at = m_objects.erase(at);
    }
}

std::int64_t ObjectTable::idOf(ObjectKind kind, std::uint64_t handle) const {
    const auto found = m_objects.find({static_cast<std::uint8_t>(kind), handle});
    return found != m_objects.end() ? found->second.objectId : 0;
}

Status ObjectTable::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement objects,
                               capture.prepare("SELECT object_id, kind, handle, context_id FROM objects "
                                               "WHERE process_id=? AND end_kind IS NULL AND "
                                               "kind <> 'context-reference'"));
    return forEachRow(objects, m_scope.processId, [this](const formats::Statement& row) {
        for (std::uint8_t kind = 0; kind <= static_cast<std::uint8_t>(ObjectKind::Stream); ++kind) {
            if (row.columnText(1) != objectKindName(static_cast<ObjectKind>(kind))) continue;
            m_objects[{kind, row.columnAddress(2)}] = {row.columnInt(0), row.columnInt(3)};
        }
    });
}

}  // namespace vramscope::collector
