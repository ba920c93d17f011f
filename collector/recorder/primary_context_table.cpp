// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/primary_context_table.h"

#include <algorithm>
#include <utility>

#include "collector/recorder/or_null.h"
#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

using formats::ObjectKind;
using formats::PrimaryContextCall;

void PrimaryContextTable::contextStarted(const ResolvedCall& call, std::int64_t contextId) {
    const formats::ContextPayload& payload = call.record.context;
    if (payload.isPrimary != 0) m_primaries[payload.deviceOrdinal].contextId = contextId;
}

void PrimaryContextTable::called(const ResolvedCall& call) {
    const formats::ContextPayload& payload = call.record.context;
    Primary& primary = m_primaries[payload.deviceOrdinal];
    switch (static_cast<PrimaryContextCall>(call.header().detail)) {
        case PrimaryContextCall::Retain:
            ++primary.referenceCount;
            primary.references.push_back(
                {m_objects.insertRow(call, ObjectKind::ContextReference, payload.context, primary.contextId),
                 call.threadId});
            return insertRow(call, "retain", primary);
        case PrimaryContextCall::Release:
            release(call, primary);
            return insertRow(call, "release", primary);
        case PrimaryContextCall::Reset:
            return insertRow(call, "reset", primary);
    }
}

// The last release ends the context, which its thread tells before the call itself.
std::vector<PrimaryContextTable::Reference>& PrimaryContextTable::referencesFor(const ResolvedCall& call,
                                                                                Primary& primary) {
    const bool endedTheContext =
        call.header().enterTicks <= primary.endedTicks && primary.endedTicks <= call.header().exitTicks;
    return endedTheContext ? primary.endedReferences : primary.references;
}

void PrimaryContextTable::release(const ResolvedCall& call, Primary& primary) {
    primary.referenceCount = std::max<std::int64_t>(primary.referenceCount - 1, 0);
    std::vector<Reference>& references = referencesFor(call, primary);
    if (references.empty()) return;
    auto latest = std::find_if(references.rbegin(), references.rend(), [&](const Reference& reference) {
        return reference.threadId == call.threadId;
    });
    if (latest == references.rend()) latest = references.rbegin();
    m_objects.endRow(call, latest->objectId);
    references.erase(std::next(latest).base());
}

void PrimaryContextTable::insertRow(const ResolvedCall& call, const char* kind, const Primary& primary) {
    const std::int32_t ordinal = call.record.context.deviceOrdinal;
    m_scope.sink.run(
        "INSERT INTO primary_context_calls(primary_context_call_id, process_id, thread_id, kind, "
        "device_ordinal, device_id, context_id, reference_count, enter_ns, exit_ns, stack_id) "
        "VALUES(?,?,?,?,?,?,?,?,?,?,?)",
        m_scope.sink.nextId("primary_context_calls"), m_scope.processId, orNull(call.threadId), kind, ordinal,
        orNull(m_identities.deviceOfOrdinal(ordinal)), orNull(primary.contextId), primary.referenceCount,
        m_scope.sink.sessionTime(call.header().enterTicks), m_scope.sink.sessionTime(call.header().exitTicks),
        orNull(call.stackId));
}

void PrimaryContextTable::contextEnded(std::int64_t contextId, std::uint64_t timeTicks,
                                       std::string_view endKind) {
    for (auto& [ordinal, primary] : m_primaries) {
        if (contextId != 0 && primary.contextId != contextId) continue;
        for (const Reference& reference : primary.references)
            m_objects.endRow(reference.objectId, timeTicks, endKind);
        primary.endedReferences = std::exchange(primary.references, {});
        primary.endedTicks = timeTicks;
    }
}

Status PrimaryContextTable::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement contexts,
        capture.prepare("SELECT device_ordinal, context_id FROM contexts WHERE process_id=? AND end_ns IS "
                        "NULL AND is_primary=1 AND device_ordinal IS NOT NULL"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(contexts, m_scope.processId, [this](const formats::Statement& row) {
        m_primaries[static_cast<std::int32_t>(row.columnInt(0))].contextId = row.columnInt(1);
    }));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement counts,
        capture.prepare("SELECT device_ordinal, reference_count FROM primary_context_calls WHERE "
                        "process_id=? ORDER BY primary_context_call_id"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(counts, m_scope.processId, [this](const formats::Statement& row) {
        m_primaries[static_cast<std::int32_t>(row.columnInt(0))].referenceCount = row.columnInt(1);
    }));
    // Which thread holds a reference is not in its row.
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement references,
        capture.prepare("SELECT o.object_id, c.device_ordinal FROM objects o JOIN contexts c ON "
                        "c.context_id = o.context_id WHERE o.process_id=? AND o.end_kind IS NULL AND "
                        "o.kind='context-reference' AND c.device_ordinal IS NOT NULL ORDER BY o.object_id"));
    return forEachRow(references, m_scope.processId, [this](const formats::Statement& row) {
        m_primaries[static_cast<std::int32_t>(row.columnInt(1))].references.push_back({row.columnInt(0), 0});
    });
}

}  // namespace vramscope::collector
