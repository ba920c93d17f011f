// SPDX-License-Identifier: Apache-2.0
#include "tests/collector/fake_nvml/fake_nvml.h"

#include <cstdint>
#include <cstdio>
#ifdef FAKE_NVML_SLOW
#include <unistd.h>
#endif

#include "collector/nvml/nvml_api.h"

// A small NVML for what no GPU at hand can show: lists that grow, hidden bytes, MIG, old versions, failures.
// With FAKE_NVML_OLD it has only what drivers of 2020 had; with FAKE_NVML_SLOW it takes 40 ms to say how much
// memory is used.
using namespace vramscope::nvml;

namespace {

constexpr unsigned long long kMiB = 1ULL << 20;
FakeNvmlAnswers answers;

std::uintptr_t numberOf(Device device) {
    return reinterpret_cast<std::uintptr_t>(device);
}
bool isInstance(Device device) {
    return numberOf(device) >= 100;
}

}  // namespace

extern "C" {
FakeNvmlAnswers* fakeNvmlAnswers() {
    return &answers;
}

Result nvmlInit_v2() {
    if (answers.initResult == 0) ++answers.running;
    return static_cast<Result>(answers.initResult);
}
Result nvmlShutdown() {
    --answers.running;
    return kSuccess;
}
const char* nvmlErrorString(Result result) {
    return result == 9 ? "Driver Not Loaded" : "Some Error";
}
Result nvmlDeviceGetCount_v2(unsigned* count) {
    *count = answers.gpuCount;
    return kSuccess;
}
Result nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
    *device = reinterpret_cast<Device>(std::uintptr_t{index} + 1);
    return kSuccess;
}
Result nvmlDeviceGetMemoryInfo(Device, MemoryInfo* info) {
    *info = {1000 * kMiB, 600 * kMiB, 400 * kMiB};
    return static_cast<Result>(answers.memoryResult);
}
Result nvmlDeviceGetUUID(Device device, char* text, unsigned length) {
    std::snprintf(text, length, "%s-%u", isInstance(device) ? "MIG" : "GPU",
                  static_cast<unsigned>(numberOf(device)));
    return kSuccess;
}
Result nvmlDeviceGetName(Device device, char* text, unsigned length) {
    if (isInstance(device)) return kNotSupported;
    std::snprintf(text, length, "Fake GPU");
    return kSuccess;
}
Result nvmlSystemGetDriverVersion(char* text, unsigned length) {
    std::snprintf(text, length, "999.1");
    return kSuccess;
}

#ifndef FAKE_NVML_OLD
Result nvmlDeviceGetMemoryInfo_v2(Device, MemoryInfoV2* info) {
    if (info->version != ((2U << 24) | 40U)) return kFunctionNotFound;
#ifdef FAKE_NVML_SLOW
    ::usleep(40'000);
#endif
    *info = {info->version, 1000 * kMiB, 100 * kMiB, 600 * kMiB, 300 * kMiB};
    return static_cast<Result>(answers.memoryResult);
}
Result nvmlDeviceGetPciInfo_v3(Device, PciInfo* info) {
    std::snprintf(info->busId, sizeof info->busId, "00000000:1B:00.0");
    return kSuccess;
}
Result nvmlDeviceGetComputeRunningProcesses_v3(Device, unsigned* count, ProcessInfo* infos) {
    if (answers.processResult != 0) return static_cast<Result>(answers.processResult);
    ++answers.processQuestions;
    const unsigned room = *count;
    *count = answers.processCount;
    if (room < *count) {
        answers.processCount += answers.grownBy;
        return kInsufficientSize;
    }
    for (unsigned i = 0; i < *count; ++i)
        infos[i] = {1000 + i, answers.hidesBytes ? kNotAvailable : (i + 1) * kMiB, ~0U, ~0U};
    return kSuccess;
}
Result nvmlDeviceGetGraphicsRunningProcesses_v3(Device, unsigned* count, ProcessInfo* infos) {
    *count = 2;
    infos[0] = {1000, 5 * kMiB, ~0U, ~0U};
    infos[1] = {7, 2 * kMiB, ~0U, ~0U};
    return kSuccess;
}
Result nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending) {
    *current = *pending = answers.hasMig && numberOf(device) == 1 ? 1 : 0;
    return kSuccess;
}
Result nvmlDeviceGetMaxMigDeviceCount(Device, unsigned* count) {
    *count = 7;
    return kSuccess;
}
Result nvmlDeviceGetMigDeviceHandleByIndex(Device, unsigned index, Device* device) {
    if (index != 0 && index != 2) return static_cast<Result>(6);
    *device = reinterpret_cast<Device>(std::uintptr_t{index} + 100);
    return kSuccess;
}
#endif
}
