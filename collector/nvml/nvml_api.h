// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "formats/status.h"

namespace vramscope::nvml {

/// The part of NVML's binary interface that we use, from its public reference manual: names, signatures and
/// layouts have been stable since the versions named, and a newer interface comes under a newer name.
using Device = struct OpaqueDevice*;

enum Result : int {
    kSuccess = 0,
    kNotSupported = 3,
    kNoPermission = 4,
    kInsufficientSize = 7,
    kFunctionNotFound = 13,
};

/// Given in place of a number of bytes that the driver will not tell.
inline constexpr unsigned long long kNotAvailable = ~0ULL;

struct PciInfo {
    char busIdLegacy[16];
    unsigned domain;
    unsigned bus;
    unsigned device;
    unsigned pciDeviceId;
    unsigned pciSubSystemId;
    char busId[32];
};

struct MemoryInfo {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;  ///< with what the driver reserves for itself
};

struct MemoryInfoV2 {
    unsigned version;
    unsigned long long total;
    unsigned long long reserved;
    unsigned long long free;
    unsigned long long used;  ///< without `reserved`, as nvidia-smi shows it
};
inline constexpr unsigned kMemoryInfoV2 = sizeof(MemoryInfoV2) | (2U << 24);

/// Filled by the _v2 and _v3 functions.
struct ProcessInfo {
    unsigned pid;
    unsigned long long usedGpuMemory;
    unsigned gpuInstanceId;
    unsigned computeInstanceId;
};
static_assert(sizeof(PciInfo) == 68 && sizeof(MemoryInfo) == 24 && sizeof(MemoryInfoV2) == 40);
static_assert(sizeof(ProcessInfo) == 24);

using ProcessList = Result (*)(Device, unsigned* count, ProcessInfo* infos);

/// NVML's functions in an opened library. What a library lacks is null, but for those in the first group.
struct Api {
    Result (*init)() = nullptr;
    Result (*shutdown)() = nullptr;
    Result (*deviceCount)(unsigned*) = nullptr;
    Result (*deviceByIndex)(unsigned, Device*) = nullptr;
    Result (*memoryInfo)(Device, MemoryInfo*) = nullptr;

    const char* (*errorString)(Result) = nullptr;
    Result (*driverVersion)(char*, unsigned) = nullptr;
    Result (*uuid)(Device, char*, unsigned) = nullptr;
    Result (*name)(Device, char*, unsigned) = nullptr;
    Result (*pciInfo)(Device, PciInfo*) = nullptr;
    Result (*memoryInfoV2)(Device, MemoryInfoV2*) = nullptr;
    ProcessList computeProcesses = nullptr;
    ProcessList graphicsProcesses = nullptr;
    ProcessList mpsProcesses = nullptr;
    Result (*migMode)(Device, unsigned* current, unsigned* pending) = nullptr;
    Result (*maxMigDevices)(Device, unsigned*) = nullptr;
    Result (*migDeviceByIndex)(Device, unsigned, Device*) = nullptr;

    /// The library's words for `result`, or its number.
    std::string words(Result result) const;
};

/// Opens `library` and finds its functions; does not call any. The library stays open as long as the Api
/// lives. An error (System) says that the library is not there, or what it lacks.
StatusOr<std::shared_ptr<const Api>> openApi(const std::string& library);

}  // namespace vramscope::nvml
