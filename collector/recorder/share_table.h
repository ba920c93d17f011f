// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "collector/recorder/memory_resolver.h"
#include "collector/recorder/object_table.h"
#include "collector/recorder/vmm_resolver.h"

namespace vramscope::collector {

/// What one process gives others and opens of theirs: rows of ipc_handles, ipc_imports and peer_accesses.
/// Which import belongs to which handle is told when the recording ends (share_links.h): the records of two
/// processes come in no order.
class ShareTable {
public:
    ShareTable(ProcessScope& scope, IdentityTables& identities, MemoryResolver& memory, ObjectTable& objects,
               VmmResolver& vmm, PoolTable& pools)
        : m_scope(scope),
          m_identities(identities),
          m_memory(memory),
          m_objects(objects),
          m_vmm(vmm),
          m_pools(pools) {}

    void share(const ResolvedCall& call);
    void peerAccess(const ResolvedCall& call);
    /// A free or a close of `address` is about to be resolved: if it is an import, one opening of it ends.
    void closing(const ResolvedCall& call, std::uint64_t address);
    /// An imported event is destroyed.
    void eventDestroyed(const ResolvedCall& call, std::int64_t objectId);

    /// Takes over what an interrupted recording wrote for this process.
    Status restore(formats::Connection& capture);

private:
    /// What a handle is for, as columns take it.
    struct Subject {
        const char* kind;
        std::int64_t bufferId = 0;
        std::int64_t objectId = 0;
        std::int64_t handleId = 0;
        std::int64_t poolId = 0;
    };

    Subject subjectOf(const ResolvedCall& call);
    void exported(const ResolvedCall& call, const Subject& subject);
    void imported(const ResolvedCall& call, const Subject& subject);
    void close(const ResolvedCall& call, std::int64_t importId);

    ProcessScope& m_scope;
    IdentityTables& m_identities;
    MemoryResolver& m_memory;
    ObjectTable& m_objects;
    VmmResolver& m_vmm;
    PoolTable& m_pools;
    /// A handle that was given: its row of ipc_handles, and what it was for.
    struct Given {
        std::int64_t id = 0;
        std::int64_t bufferId = 0;
        std::int64_t objectId = 0;
    };
    std::unordered_map<std::uint64_t, Given> m_handles;  ///< by hash of the bytes
    std::unordered_map<std::int64_t, std::vector<std::int64_t>>
        m_openBuffers;                                            ///< imports by buffer, first first
    std::unordered_map<std::int64_t, std::int64_t> m_openEvents;  ///< import by object
    std::map<std::pair<std::int64_t, std::uint64_t>, std::int64_t> m_peers;  ///< by context and peer's handle
};

}  // namespace vramscope::collector
