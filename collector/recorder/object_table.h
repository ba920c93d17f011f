// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "collector/recorder/process_scope.h"

namespace vramscope::collector {

/// Rows of `objects`: events, textures, graphs and the like, which must be destroyed as often as they are
/// created.
class ObjectTable {
public:
    explicit ObjectTable(ProcessScope& scope) : m_scope(scope) {}

    /// False for a graph that a capture gave back and that has its row.
    bool create(const ResolvedCall& call);
    void destroy(const ResolvedCall& call);
    /// Streams, which have rows of their own in `streams` too. Of calls that succeeded.
    void streamCreated(const ResolvedCall& call);
    void streamDestroyed(const ResolvedCall& call);

    /// The row of an object that `call` made; its id. For objects that a handle does not tell apart: the
    /// caller ends them by the id.
    std::int64_t insertRow(const ResolvedCall& call, formats::ObjectKind kind, std::uint64_t handle,
                           std::int64_t contextId);
    /// `call` destroyed the object of that row.
    void endRow(const ResolvedCall& call, std::int64_t objectId);
    /// It ended with something else.
    void endRow(std::int64_t objectId, std::uint64_t timeTicks, std::string_view endKind);

    /// Objects of a context end with it; those of a process when it ends (context 0).
    void endAll(std::int64_t contextId, std::uint64_t timeTicks, std::string_view endKind);

    /// Takes over what an interrupted recording wrote for this process.
    Status restore(formats::Connection& capture);

    /// The row of a living object, 0 if it was made before recording began.
    std::int64_t idOf(formats::ObjectKind kind, std::uint64_t handle) const;
    std::int64_t eventOf(std::uint64_t handle) const { return idOf(formats::ObjectKind::Event, handle); }

private:
    struct Object {
        std::int64_t objectId;
        std::int64_t contextId;
    };
    using Key = std::pair<std::uint8_t, std::uint64_t>;  ///< kind and handle

    void add(const ResolvedCall& call, Key key);
    void remove(const ResolvedCall& call, Key key);

    ProcessScope& m_scope;
    std::map<Key, Object> m_objects;
};

}  // namespace vramscope::collector
