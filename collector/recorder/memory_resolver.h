// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/recorder/address_space.h"
#include "collector/recorder/identity_tables.h"
#include "collector/recorder/pool_table.h"

namespace vramscope::collector {

/// Gives every allocation of one process its row, and ends it. Frees of one kind of call may end buffers of
/// another kind where the driver allows it (cudaFree of stream-ordered memory); a refused free ends nothing.
class MemoryResolver {
public:
    MemoryResolver(ProcessScope& scope, IdentityTables& identities, PoolTable& pools)
        : m_scope(scope), m_identities(identities), m_pools(pools) {}

    void alloc(const ResolvedCall& call);
    void free(const ResolvedCall& call);
    void moduleGlobal(const ResolvedCall& call);
    /// Any GpuModule record: an UnloadCall ends the variables of its module. Those that an interrupted
    /// recording knew end with their context: a capture does not keep whose they were.
    void moduleChanged(const ResolvedCall& call);

    /// Takes a buffer that another resolver or an earlier recording made.
    void adopt(const BufferPtr& buffer);
    /// Ends `buffer` at the call's entry.
    void end(const BufferPtr& buffer, const ResolvedCall& call, std::string_view endKind);
    /// Everything in the context is gone.
    void contextDestroyed(std::int64_t contextId, const ResolvedCall& call, bool isProcessExit);
    /// The process is gone at `timeTicks`, and all that was live in it.
    void processEnded(std::uint64_t timeTicks);

    /// Takes over what an interrupted recording wrote for this process.
    Status restore(formats::Connection& capture);

    /// A row for a new buffer, not yet adopted.
    BufferPtr makeBuffer(const ResolvedCall& call, formats::BufferKind kind, std::uint64_t address,
                         std::uint64_t sizeBytes);

    AddressSpace& addresses() { return m_addresses; }

private:
    void endRow(BufferRow& row, std::uint64_t enterTicks, std::uint64_t exitTicks, std::string_view endKind);
    BufferPtr findFreed(formats::FreeFamily family, std::uint64_t address) const;
    void retire(const BufferPtr& buffer);

    ProcessScope& m_scope;
    IdentityTables& m_identities;
    PoolTable& m_pools;
    AddressSpace m_addresses;                               ///< everything that has an address
    std::unordered_map<std::uint64_t, BufferPtr> m_arrays;  ///< CUDA arrays, by handle
    Generations m_arrayGenerations;
    std::unordered_map<std::uint64_t, std::vector<BufferPtr>> m_moduleGlobals;  ///< by CUmodule or CUlibrary
};

}  // namespace vramscope::collector
