// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collector/recorder/identity_tables.h"
#include "collector/recorder/object_table.h"

namespace vramscope::collector {

/// Rows of `primary_context_calls` of one process, and for each reference to a primary context an object of
/// kind 'context-reference'. A release does not say which reference it gives back: it is taken for the latest
/// that its thread holds, else for the latest of all.
class PrimaryContextTable {
public:
    PrimaryContextTable(ProcessScope& scope, IdentityTables& identities, ObjectTable& objects)
        : m_scope(scope), m_identities(identities), m_objects(objects) {}

    /// Any call of the three.
    void called(const ResolvedCall& call);
    /// A context came to life; `contextId` is its row.
    void contextStarted(const ResolvedCall& call, std::int64_t contextId);
    /// A context ended, or all of them did (`contextId` 0): the references to it go with it.
    void contextEnded(std::int64_t contextId, std::uint64_t timeTicks, std::string_view endKind);

    /// Takes over what an interrupted recording wrote for this process.
    Status restore(formats::Connection& capture);

private:
    struct Reference {
        std::int64_t objectId;
        std::int64_t threadId;
    };
    struct Primary {
        std::int64_t contextId = 0;       ///< the latest
        std::int64_t referenceCount = 0;  ///< a reset ends the references as objects, not their number
        std::vector<Reference> references;
        std::uint64_t endedTicks = 0;  ///< when a context ended, with the references below
        std::vector<Reference> endedReferences;
    };

    std::vector<Reference>& referencesFor(const ResolvedCall& call, Primary& primary);
    void release(const ResolvedCall& call, Primary& primary);
    void insertRow(const ResolvedCall& call, const char* kind, const Primary& primary);

    ProcessScope& m_scope;
    IdentityTables& m_identities;
    ObjectTable& m_objects;
    std::unordered_map<std::int32_t, Primary> m_primaries;  ///< by the process's device number
};

}  // namespace vramscope::collector
