// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/graph_sampler.h"

#include <atomic>

#include "collector/inject/captures.h"
#include "collector/inject/driver_api.h"

namespace vramscope::collector {

namespace {

constexpr int kMaxDevices = 64;
std::atomic<bool> g_usesGraphMemory{false};
std::atomic<std::uint64_t> g_devices{0};  // a bit for each ordinal

}  // namespace

void noteGraphMemory() {
    g_usesGraphMemory.store(true, std::memory_order_relaxed);
}

bool usesGraphMemory() {
    return g_usesGraphMemory.load(std::memory_order_relaxed);
}

void noteGraphDevice() {
    if (!usesGraphMemory() || !mayAskDriver() || g_driver.ctxGetDevice == nullptr) return;
    CUdevice device = -1;
    if (g_driver.ctxGetDevice(&device) != CUDA_SUCCESS || device < 0 || device >= kMaxDevices) return;
    g_devices.fetch_or(std::uint64_t{1} << device, std::memory_order_relaxed);
}

void sampleGraphMemory(Call& call) {
    if (!mayAskDriver() || g_driver.deviceGetGraphMemAttribute == nullptr) return;
    std::uint64_t devices = g_devices.load(std::memory_order_relaxed);
    for (int device = 0; devices != 0; ++device, devices >>= 1) {
        if ((devices & 1) == 0) continue;
        cuuint64_t reserved = 0;
        cuuint64_t used = 0;
        const bool isRead = g_driver.deviceGetGraphMemAttribute(
                                device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved) == CUDA_SUCCESS &&
                            g_driver.deviceGetGraphMemAttribute(device, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
                                                                &used) == CUDA_SUCCESS;
        if (!isRead) continue;
        formats::Record* record = beginRecord(call, formats::RecordType::GraphMemorySample);
        if (record == nullptr) return;
        record->graphMemory = {device, reserved, used, 0};
        endRecord(call, record);
    }
}

}  // namespace vramscope::collector
