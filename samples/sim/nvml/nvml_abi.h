// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of NVML's ABI that the simulation offers, declared from NVIDIA's public documentation: nvml.h is
// not part of the headers that we build with.

using NvmlResult = int;
inline constexpr NvmlResult kNvmlSuccess = 0;
inline constexpr NvmlResult kNvmlUninitialized = 1;
inline constexpr NvmlResult kNvmlInvalidArgument = 2;
inline constexpr NvmlResult kNvmlNotFound = 6;
inline constexpr NvmlResult kNvmlInsufficientSize = 7;
inline constexpr NvmlResult kNvmlDriverNotLoaded = 9;

using NvmlDevice = struct NvmlDeviceState*;

struct NvmlMemory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

struct NvmlMemoryV2 {
    unsigned int version;
    unsigned long long total;
    unsigned long long reserved;
    unsigned long long free;
    unsigned long long used;
};

/// nvmlProcessInfo_t of nvmlDeviceGetComputeRunningProcesses_v3.
struct NvmlProcessInfo {
    unsigned int pid;
    unsigned long long usedGpuMemory;
    unsigned int gpuInstanceId;
    unsigned int computeInstanceId;
};

/// nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3.
struct NvmlPciInfo {
    char busIdLegacy[16];
    unsigned int domain;
    unsigned int bus;
    unsigned int device;
    unsigned int pciDeviceId;
    unsigned int pciSubSystemId;
    char busId[32];
};

/// The version field of a versioned struct: its size and its number in the top byte.
template <typename T>
constexpr unsigned int nvmlVersion(unsigned int number) {
    return static_cast<unsigned int>(sizeof(T)) | number << 24;
}
