// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "collector/recorder/identity_tables.h"

namespace vramscope::collector {

/// Rows of `pools` and `pool_samples` of one process.
class PoolTable {
public:
    PoolTable(ProcessScope& scope, IdentityTables& identities) : m_scope(scope), m_identities(identities) {}

    void create(const ResolvedCall& call);
    void destroy(const ResolvedCall& call);
    /// A pool's attribute was set; only the release threshold is kept.
    void attribute(const ResolvedCall& call);
    /// The pool that a device uses, or its default one (attribute 1).
    void deviceDefault(const ResolvedCall& call);
    void sample(const ResolvedCall& call);
    void trim(const ResolvedCall& call);

    /// Takes over what an interrupted recording wrote for this process.
    Status restore(formats::Connection& capture);

    /// The id of a pool; a row is made for one never seen before.
    std::int64_t idOf(std::uint64_t handle, std::uint64_t timeTicks);

private:
    struct Pool {
        std::int64_t poolId;
        std::uint64_t reservedBytes = ~0ull;
        std::uint64_t usedBytes = ~0ull;
        std::uint64_t thresholdBytes = ~0ull;
        bool hasThreshold = false;
    };

    Pool& poolOf(std::uint64_t handle, std::uint64_t timeTicks);
    void setThreshold(Pool& pool, std::uint64_t bytes);

    ProcessScope& m_scope;
    IdentityTables& m_identities;
    std::unordered_map<std::uint64_t, Pool> m_pools;
};

}  // namespace vramscope::collector
