// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/sim/cuda_abi.h"

namespace vramscope::sim {

/// A kernel that is about to be put into a stream.
struct KernelLaunch {
    CUcontext context;
    CUstream stream;     ///< null for the legacy one
    void* streamHandle;  ///< names the stream for synchronise()
    CUmodule module;
    CUfunction function;
    const char* name;
    unsigned grid[3];
    unsigned block[3];
    bool isGraphNode;
};
/// What is called before each access of one launch to device memory: flags are 1 read, 2 write.
struct LaunchPatch {
    void (*access)(void* user, uint64_t pc, uint64_t address, uint32_t sizeBytes, uint32_t flags) = nullptr;
    void* user = nullptr;
};
using LaunchWatcher = LaunchPatch (*)(const KernelLaunch& launch);

/// What the simulated libcupti asks of the simulated libcuda: a plain C table, fetched with cuGetExportTable
/// under kDriverTableId, as the real pair does with tables of its own. All functions may be called from any
/// thread.
struct DriverTable {
    size_t sizeBytes;
    /// Installs the only subscriber; false when there is one already.
    bool (*subscribe)(CUpti_CallbackFunc callback, void* userdata);
    /// Removes it; callbacks in flight on other threads may still finish.
    void (*unsubscribe)();
    /// Switches one callback; false when domain or id do not exist.
    bool (*enableCallback)(CUpti_CallbackDomain domain, uint32_t callbackId, bool on);
    bool (*callbackEnabled)(CUpti_CallbackDomain domain, uint32_t callbackId);
    /// Ids as CUPTI numbers them; false for an unknown handle. A null context means the calling thread's.
    bool (*contextId)(CUcontext context, uint32_t* id);
    bool (*deviceId)(CUcontext context, uint32_t* id);
    bool (*streamId)(CUcontext context, CUstream stream, bool perThread, uint32_t* id);
    /// For the simulated Compute Sanitizer API: who is asked about each launch; null ends it.
    void (*watchLaunches)(LaunchWatcher watcher);
    /// Finishes the work of a stream, null for the legacy one of the calling thread's context.
    CUresult (*synchronize)(void* streamHandle);
    /// The handle of a loaded module by CUPTI's number for it; null when there is none.
    CUmodule (*moduleHandle)(uint32_t moduleId);
    /// Where the code of a module's function lies; false when it has none of that name.
    bool (*functionPlace)(CUmodule module, const char* name, uint64_t* pc, uint64_t* sizeBytes);
};

/// Random; names DriverTable among the tables that cuGetExportTable gives out.
inline constexpr unsigned char kDriverTableId[16] = {0x7a, 0x11, 0xc4, 0x5e, 0x90, 0x3b, 0x4d, 0x62,
                                                     0xa8, 0x1f, 0x0e, 0xd7, 0x35, 0x6c, 0xb2, 0x49};

/// Highest callback id + 1 of any domain that the simulation knows.
inline constexpr uint32_t kCallbackIdLimit = 1024;

}  // namespace vramscope::sim
