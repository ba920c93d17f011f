// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "collector/recorder/failure_table.h"
#include "collector/recorder/process_scope.h"

namespace vramscope::collector {

/// Rows of `objects`: events, textures, graphs and the like, which must be destroyed as often as they are
/// created.
class ObjectTable {
public:
    ObjectTable(ProcessScope& scope, FailureTable& failures) : m_scope(scope), m_failures(failures) {}

    void create(const ResolvedCall& call);
    void destroy(const ResolvedCall& call);
    /// Objects of a context end with it; those of a process when it ends (context 0).
    void endAll(std::int64_t contextId, std::uint64_t timeTicks, std::string_view endKind);

    /// Takes over what an interrupted recording wrote for this process.
    Status restore(formats::Connection& capture);

    /// The row of an event, 0 if it was made before recording began.
    std::int64_t eventOf(std::uint64_t handle) const;

private:
    struct Object {
        std::int64_t objectId;
        std::int64_t contextId;
    };
    using Key = std::pair<std::uint8_t, std::uint64_t>;  ///< kind and handle

    ProcessScope& m_scope;
    FailureTable& m_failures;
    std::map<Key, Object> m_objects;
};

}  // namespace vramscope::collector
