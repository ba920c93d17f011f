// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "collector/recorder/memory_resolver.h"

namespace vramscope::collector {

/// Virtual memory management of one process: reservations, physical handles with their references and
/// mappings, and the mappings themselves, which are buffers of kind vmm.
class VmmResolver {
public:
    VmmResolver(ProcessScope& scope, IdentityTables& identities, MemoryResolver& memory)
        : m_scope(scope), m_identities(identities), m_memory(memory) {}

    void reserve(const ResolvedCall& call);
    void addressFree(const ResolvedCall& call);
    void create(const ResolvedCall& call);
    void release(const ResolvedCall& call);
    void retain(const ResolvedCall& call);
    void map(const ResolvedCall& call);
    void unmap(const ResolvedCall& call);
    void setAccess(const ResolvedCall& call);
    /// The row of a handle that is resident, 0 for one that is not known.
    std::int64_t idOf(std::uint64_t handle) const {
        const auto found = m_handles.find(handle);
        return found != m_handles.end() ? found->second.handleId : 0;
    }

    /// Takes over what an interrupted recording wrote for this process.
    Status restore(formats::Connection& capture);

private:
    struct Handle {
        std::int64_t handleId;
        std::int64_t deviceId;
        int references;
        int mappings;
        bool hasSize;  ///< or its first mapping will tell
    };

    void learnSize(Handle& state, std::uint64_t sizeBytes);
    void update(std::uint64_t handle, Handle& state, std::uint64_t timeTicks);

    ProcessScope& m_scope;
    IdentityTables& m_identities;
    MemoryResolver& m_memory;
    std::unordered_map<std::uint64_t, Handle> m_handles;             ///< by handle value, while resident
    std::unordered_map<std::int64_t, std::uint64_t> m_handleValues;  ///< by handle id
    std::map<std::uint64_t, std::int64_t> m_reservations;            ///< by first address
};

}  // namespace vramscope::collector
