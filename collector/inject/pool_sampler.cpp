// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/pool_sampler.h"

#include <atomic>

#include "collector/inject/captures.h"
#include "collector/inject/clock.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/graph_sampler.h"

namespace vramscope::collector {

namespace {

constexpr std::size_t kMaxPools = 64;
constexpr std::size_t kMaxDevices = 64;
constexpr std::uint64_t kSampleEveryNs = 10'000'000;

std::atomic<CUmemoryPool> g_pools[kMaxPools];
std::atomic<CUmemoryPool> g_devicePools[kMaxDevices];
std::atomic<std::uint64_t> g_lastSampleNs{0};
std::atomic<int> g_samplersAtWork{0};

bool isDue(std::uint64_t nowNs) {
    std::uint64_t last = g_lastSampleNs.load(std::memory_order_relaxed);
    return nowNs >= last + kSampleEveryNs &&
           g_lastSampleNs.compare_exchange_strong(last, nowNs, std::memory_order_relaxed);
}

bool readPool(CUmemoryPool pool, formats::PoolSamplePayload& sample) {
    sample.pool = asWord(pool);
    return g_driver.memPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &sample.reservedBytes) ==
               CUDA_SUCCESS &&
           g_driver.memPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &sample.usedBytes) ==
               CUDA_SUCCESS &&
           g_driver.memPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                                        &sample.releaseThresholdBytes) == CUDA_SUCCESS;
}

}  // namespace

void rememberPool(CUmemoryPool pool) {
    for (auto& place : g_pools) {
        CUmemoryPool held = place.load(std::memory_order_relaxed);
        if (held == pool) return;
        if (held == nullptr && place.compare_exchange_strong(held, pool, std::memory_order_relaxed)) return;
        if (held == pool) return;
    }
}

void forgetPool(CUmemoryPool pool) {
    for (auto& place : g_pools) {
        CUmemoryPool expected = pool;
        place.compare_exchange_strong(expected, nullptr, std::memory_order_seq_cst);
    }
    forgetDevicePools();
    // Whoever read the handle before is done with it within some hundred nanoseconds.
    for (int spin = 0; spin < 100'000 && g_samplersAtWork.load(std::memory_order_seq_cst) != 0; ++spin) {
    }
}

void forgetDevicePools() {
    for (auto& place : g_devicePools)
        place.store(nullptr, std::memory_order_relaxed);
}

CUmemoryPool currentDevicePool(Call& call) {
    if (!mayAskDriver() || g_driver.ctxGetDevice == nullptr || g_driver.deviceGetMemPool == nullptr)
        return nullptr;
    CUdevice device = -1;
    if (g_driver.ctxGetDevice(&device) != CUDA_SUCCESS || device < 0 ||
        device >= static_cast<int>(kMaxDevices))
        return nullptr;
    CUmemoryPool pool = g_devicePools[device].load(std::memory_order_relaxed);
    if (pool != nullptr) return pool;
    if (g_driver.deviceGetMemPool(&pool, device) != CUDA_SUCCESS) return nullptr;
    g_devicePools[device].store(pool, std::memory_order_relaxed);
    rememberPool(pool);
    if (formats::Record* record = beginRecord(call, formats::RecordType::PoolDefault)) {
        record->pool = {asWord(pool), 0, device, 0, 0};
        endRecord(call, record);
    }
    return pool;
}

void samplePools(Call& call, PoolSampling when) {
    if (!call.succeeded() || !mayAskDriver()) return;
    const bool hasPools =
        g_driver.memPoolGetAttribute != nullptr && g_pools[0].load(std::memory_order_relaxed) != nullptr;
    if (!hasPools && !usesGraphMemory()) return;
    if (when == PoolSampling::IfDue && !isDue(monotonicNs())) return;
    sampleGraphMemory(call);
    if (!hasPools) return;
    for (auto& place : g_pools) {
        formats::PoolSamplePayload sample{};
        g_samplersAtWork.fetch_add(1, std::memory_order_seq_cst);
        CUmemoryPool pool = place.load(std::memory_order_seq_cst);
        const bool isRead = pool != nullptr && readPool(pool, sample);
        g_samplersAtWork.fetch_sub(1, std::memory_order_seq_cst);
        if (!isRead) continue;
        formats::Record* record = beginRecord(call, formats::RecordType::PoolSample);
        if (record == nullptr) return;
        record->poolSample = sample;
        endRecord(call, record);
    }
}

}  // namespace vramscope::collector
