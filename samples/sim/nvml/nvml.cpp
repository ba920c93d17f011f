// SPDX-License-Identifier: Apache-2.0
// The simulated NVML: what the whole machine uses, read from the device file that the drivers share.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "samples/sim/device_file.h"
#include "samples/sim/device_identity.h"
#include "samples/sim/nvml/nvml_abi.h"
#include "samples/sim/settings.h"

struct NvmlDeviceState {
    uint32_t index;
};

namespace vramscope::sim {
namespace {

constexpr unsigned int kNoInstance = 0xffffffff;

std::mutex g_lock;
int g_users = 0;
std::unique_ptr<DeviceFile> g_file;
NvmlDeviceState g_devices[kMaximumDevices];

NvmlResult check(NvmlDevice device) {
    if (!g_file) return kNvmlUninitialized;
    const bool known = device >= g_devices && device < g_devices + g_file->deviceCount();
    return known ? kNvmlSuccess : kNvmlInvalidArgument;
}

NvmlResult copyText(const std::string& text, char* buffer, unsigned int length) {
    if (!buffer) return kNvmlInvalidArgument;
    if (text.size() >= length) return kNvmlInsufficientSize;
    std::memcpy(buffer, text.c_str(), text.size() + 1);
    return kNvmlSuccess;
}

std::string uuidText(uint32_t device) {
    const DeviceUuid u = deviceUuid(device);
    char text[64];
    std::snprintf(text, sizeof text,
                  "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
                  u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
    return text;
}

}  // namespace
}  // namespace vramscope::sim

#define SIM_NVML extern "C" __attribute__((visibility("default"))) NvmlResult
using namespace vramscope::sim;  // NOLINT: the C functions below are this file's exports

SIM_NVML nvmlInit_v2() {
    std::lock_guard guard(g_lock);
    if (!g_file) g_file = DeviceFile::open(settingsFromEnvironment(), DeviceFile::Role::Observer);
    if (!g_file) return kNvmlDriverNotLoaded;
    for (uint32_t i = 0; i < kMaximumDevices; ++i)
        g_devices[i].index = i;
    ++g_users;
    return kNvmlSuccess;
}

SIM_NVML nvmlInitWithFlags(unsigned int) {
    return nvmlInit_v2();
}

SIM_NVML nvmlShutdown() {
    std::lock_guard guard(g_lock);
    if (!g_users) return kNvmlUninitialized;
    if (--g_users == 0) g_file.reset();
    return kNvmlSuccess;
}

extern "C" __attribute__((visibility("default"))) const char* nvmlErrorString(NvmlResult result) {
    switch (result) {
        case kNvmlSuccess:
            return "The operation was successful";
        case kNvmlUninitialized:
            return "Uninitialized";
        case kNvmlInvalidArgument:
            return "Invalid Argument";
        case kNvmlNotFound:
            return "Not Found";
        case kNvmlInsufficientSize:
            return "Insufficient Size";
        case kNvmlDriverNotLoaded:
            return "Driver Not Loaded";
        default:
            return "Unknown Error";
    }
}

SIM_NVML nvmlSystemGetDriverVersion(char* version, unsigned int length) {
    return copyText("580.0", version, length);
}
SIM_NVML nvmlSystemGetNVMLVersion(char* version, unsigned int length) {
    return copyText("13.580.0", version, length);
}

SIM_NVML nvmlSystemGetCudaDriverVersion_v2(int* version) {
    if (!version) return kNvmlInvalidArgument;
    *version = 13000;
    return kNvmlSuccess;
}

SIM_NVML nvmlDeviceGetCount_v2(unsigned int* count) {
    std::lock_guard guard(g_lock);
    if (!g_file) return kNvmlUninitialized;
    if (!count) return kNvmlInvalidArgument;
    *count = g_file->deviceCount();
    return kNvmlSuccess;
}

SIM_NVML nvmlDeviceGetHandleByIndex_v2(unsigned int index, NvmlDevice* device) {
    std::lock_guard guard(g_lock);
    if (!g_file) return kNvmlUninitialized;
    if (!device || index >= g_file->deviceCount()) return kNvmlInvalidArgument;
    *device = &g_devices[index];
    return kNvmlSuccess;
}

SIM_NVML nvmlDeviceGetHandleByUUID(const char* uuid, NvmlDevice* device) {
    std::lock_guard guard(g_lock);
    if (!g_file) return kNvmlUninitialized;
    if (!device || !uuid) return kNvmlInvalidArgument;
    for (uint32_t i = 0; i < g_file->deviceCount(); ++i) {
        if (uuidText(i) != uuid) continue;
        *device = &g_devices[i];
        return kNvmlSuccess;
    }
    return kNvmlNotFound;
}

SIM_NVML nvmlDeviceGetIndex(NvmlDevice device, unsigned int* index) {
    std::lock_guard guard(g_lock);
    if (const NvmlResult bad = check(device)) return bad;
    if (!index) return kNvmlInvalidArgument;
    *index = device->index;
    return kNvmlSuccess;
}

SIM_NVML nvmlDeviceGetName(NvmlDevice device, char* name, unsigned int length) {
    std::lock_guard guard(g_lock);
    if (const NvmlResult bad = check(device)) return bad;
    return copyText(kDeviceName, name, length);
}

SIM_NVML nvmlDeviceGetUUID(NvmlDevice device, char* uuid, unsigned int length) {
    std::lock_guard guard(g_lock);
    if (const NvmlResult bad = check(device)) return bad;
    return copyText(uuidText(device->index), uuid, length);
}

SIM_NVML nvmlDeviceGetPciInfo_v3(NvmlDevice device, NvmlPciInfo* info) {
    std::lock_guard guard(g_lock);
    if (const NvmlResult bad = check(device)) return bad;
    if (!info) return kNvmlInvalidArgument;
    *info = {};
    info->bus = pciBusOf(device->index);
    std::snprintf(info->busIdLegacy, sizeof info->busIdLegacy, "0000:%02X:00.0", info->bus);
    std::snprintf(info->busId, sizeof info->busId, "00000000:%02X:00.0", info->bus);
    return kNvmlSuccess;
}

SIM_NVML nvmlDeviceGetMemoryInfo(NvmlDevice device, NvmlMemory* memory) {
    std::lock_guard guard(g_lock);
    if (const NvmlResult bad = check(device)) return bad;
    if (!memory) return kNvmlInvalidArgument;
    memory->total = g_file->memoryBytes();
    memory->free = g_file->freeBytes(device->index);
    memory->used = memory->total - memory->free;
    return kNvmlSuccess;
}

SIM_NVML nvmlDeviceGetMemoryInfo_v2(NvmlDevice device, NvmlMemoryV2* memory) {
    std::lock_guard guard(g_lock);
    if (const NvmlResult bad = check(device)) return bad;
    if (!memory || memory->version != nvmlVersion<NvmlMemoryV2>(2)) return kNvmlInvalidArgument;
    memory->total = g_file->memoryBytes();
    memory->reserved = 0;
    memory->free = g_file->freeBytes(device->index);
    memory->used = memory->total - memory->free;
    return kNvmlSuccess;
}

SIM_NVML nvmlDeviceGetComputeRunningProcesses_v3(NvmlDevice device, unsigned int* count,
                                                 NvmlProcessInfo* processes) {
    std::lock_guard guard(g_lock);
    if (const NvmlResult bad = check(device)) return bad;
    if (!count) return kNvmlInvalidArgument;
    const std::vector<ProcessUse> uses = g_file->uses(device->index);
    const unsigned int room = *count;
    *count = static_cast<unsigned int>(uses.size());
    if (room < uses.size()) return kNvmlInsufficientSize;
    if (!uses.empty() && !processes) return kNvmlInvalidArgument;
    std::transform(uses.begin(), uses.end(), processes, [](const ProcessUse& use) {
        return NvmlProcessInfo{static_cast<unsigned int>(use.pid), use.usedBytes, kNoInstance, kNoInstance};
    });
    return kNvmlSuccess;
}

SIM_NVML nvmlDeviceGetMigMode(NvmlDevice device, unsigned int* current, unsigned int* pending) {
    std::lock_guard guard(g_lock);
    if (const NvmlResult bad = check(device)) return bad;
    if (!current || !pending) return kNvmlInvalidArgument;
    *current = 0;
    *pending = 0;
    return kNvmlSuccess;
}
