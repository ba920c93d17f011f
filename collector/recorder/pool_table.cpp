// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/pool_table.h"

#include <limits>
#include <optional>

#include "collector/recorder/or_null.h"
#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

namespace {

constexpr std::uint32_t kReleaseThreshold = 4;  // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, cuda.h 13.0

}  // namespace

PoolTable::Pool& PoolTable::poolOf(std::uint64_t handle, std::uint64_t timeTicks) {
    const auto [found, isNew] = m_pools.try_emplace(handle);
    if (isNew) {
        // A pool that is used before anybody created it is the device's own: the job never asks for its
        // handle.
        found->second.poolId = m_scope.sink.nextId("pools");
        m_scope.sink.run(
            "INSERT INTO pools(pool_id, process_id, handle, is_default, start_ns) VALUES(?,?,?,1,?)",
            found->second.poolId, m_scope.processId, handle, m_scope.sink.sessionTime(timeTicks));
    }
    return found->second;
}

std::int64_t PoolTable::idOf(std::uint64_t handle, std::uint64_t timeTicks) {
    return poolOf(handle, timeTicks).poolId;
}

void PoolTable::create(const ResolvedCall& call) {
    const formats::PoolPayload& payload = call.record.pool;
    const Pool& pool = poolOf(payload.pool, call.header().exitTicks);
    m_scope.sink.run("UPDATE pools SET device_id=?, create_stack_id=?, is_default=0 WHERE pool_id=?",
                     orNull(m_identities.deviceOfOrdinal(payload.deviceOrdinal)), orNull(call.stackId),
                     pool.poolId);
}

void PoolTable::destroy(const ResolvedCall& call) {
    const auto found = m_pools.find(call.record.pool.pool);
    if (found == m_pools.end()) return;
    m_scope.sink.run("UPDATE pools SET end_ns=? WHERE pool_id=?",
                     m_scope.sink.sessionTime(call.header().enterTicks), found->second.poolId);
    m_pools.erase(found);
}

void PoolTable::setThreshold(Pool& pool, std::uint64_t bytes) {
    if (pool.hasThreshold && pool.thresholdBytes == bytes) return;
    pool.hasThreshold = true;
    pool.thresholdBytes = bytes;
    // The maximum (keep everything) is all ones, which SQLite's signed integers cannot hold.
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    m_scope.sink.run("UPDATE pools SET release_threshold_bytes=? WHERE pool_id=?",
                     bytes < kMost ? bytes : kMost, pool.poolId);
}

void PoolTable::attribute(const ResolvedCall& call) {
    const formats::PoolPayload& payload = call.record.pool;
    if (payload.attribute == kReleaseThreshold) {
        setThreshold(poolOf(payload.pool, call.header().exitTicks), payload.value);
    }
}

void PoolTable::deviceDefault(const ResolvedCall& call) {
    const formats::PoolPayload& payload = call.record.pool;
    const Pool& pool = poolOf(payload.pool, call.header().exitTicks);
    m_scope.sink.run("UPDATE pools SET device_id=?, is_default = max(is_default, ?) WHERE pool_id=?",
                     orNull(m_identities.deviceOfOrdinal(payload.deviceOrdinal)), payload.attribute,
                     pool.poolId);
}

void PoolTable::sample(const ResolvedCall& call) {
    const formats::PoolSamplePayload& payload = call.record.poolSample;
    Pool& pool = poolOf(payload.pool, call.header().exitTicks);
    setThreshold(pool, payload.releaseThresholdBytes);
    if (pool.reservedBytes == payload.reservedBytes && pool.usedBytes == payload.usedBytes) return;
    pool.reservedBytes = payload.reservedBytes;
    pool.usedBytes = payload.usedBytes;
    m_scope.sink.run("INSERT INTO pool_samples(time_ns, pool_id, reserved_bytes, used_bytes) VALUES(?,?,?,?)",
                     m_scope.sink.sessionTime(call.header().exitTicks), pool.poolId, payload.reservedBytes,
                     payload.usedBytes);
}

void PoolTable::trim(const ResolvedCall& call) {
    const formats::PoolPayload& payload = call.record.pool;
    m_scope.sink.run(
        "INSERT INTO pool_trims(pool_trim_id, process_id, thread_id, pool_id, keep_bytes, enter_ns, exit_ns, "
        "stack_id) VALUES(?,?,?,?,?,?,?,?)",
        m_scope.sink.nextId("pool_trims"), m_scope.processId, orNull(call.threadId),
        idOf(payload.pool, call.header().exitTicks), payload.value,
        m_scope.sink.sessionTime(call.header().enterTicks), m_scope.sink.sessionTime(call.header().exitTicks),
        orNull(call.stackId));
}

Status PoolTable::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement pools,
        capture.prepare("SELECT pool_id, handle FROM pools WHERE process_id=? AND end_ns IS NULL"));
    return forEachRow(pools, m_scope.processId, [this](const formats::Statement& row) {
        m_pools[row.columnAddress(1)].poolId = row.columnInt(0);
    });
}

}  // namespace vramscope::collector
