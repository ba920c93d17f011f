// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of the Compute Sanitizer API that we use, as sanitizer_callbacks.h, sanitizer_patching.h,
// sanitizer_memory.h and sanitizer_stream.h of the versions 2025.3 and 2026.4 lay it out. Written down here
// because those headers and CUPTI's cannot be included together. Structures end where we stop reading them;
// fields that moved between the two versions are left out.

#include <cstddef>
#include <cstdint>
#include <cuda.h>

namespace vramscope::collector::sanitizer {

using Result = int;  ///< SanitizerResult
inline constexpr Result kSuccess = 0;
inline constexpr Result kMaxLimitReached = 10;  ///< there is a subscriber already
inline constexpr Result kNotInitialized = 13;

using Subscriber = struct Sanitizer_Subscriber_st*;
using Stream = struct Sanitizer_Stream_st*;
using Launch = struct Sanitizer_Launch_st*;

/// Sanitizer_CallbackDomain. The first three are numbered as CUPTI numbers them, and so are the ids in the
/// first two (compared for 13.0).
enum Domain : std::uint32_t {
    kDriverApi = 1,
    kRuntimeApi = 2,
    kResource = 3,
    kLaunch = 5,
    kGraphs = 10,
};

/// Sanitizer_CallbackIdResource.
enum ResourceId : std::uint32_t {
    kContextCreationFinished = 3,
    kContextDestroyStarting = 4,
    kModuleLoaded = 9,
    kModuleUnloadStarting = 10,
};

/// Sanitizer_CallbackIdLaunch.
enum LaunchId : std::uint32_t {
    kLaunchBegin = 1,
    kLaunchAfterSyscallSetup = 2,
    kLaunchEnd = 3,
};

/// Sanitizer_CallbackIdGraphs.
enum GraphsId : std::uint32_t {
    kNodeLaunchBegin = 4,
    kNodeLaunchEnd = 5,
    kGraphLaunchBegin = 6,
    kGraphLaunchEnd = 7,
};

/// Sanitizer_InstructionId.
enum InstructionId : int {
    kGlobalMemoryAccess = 3,
    kMemcpyAsync = 14,
    kBulkCopyGlobalToShared = 30,
    kBulkCopySharedToGlobal = 35,
    kBulkReductionSharedToGlobal = 37,
};

/// Sanitizer_CallbackData.
struct CallbackData {
    int callbackSite;  ///< 0 at entry, 1 at exit
    const char* functionName;
    const void* functionParams;
    const void* functionReturnValue;
    const char* symbolName;
    CUcontext context;
};

/// Sanitizer_ResourceContextData: the device lies behind it, at another place in each version.
struct ContextData {
    CUcontext context;
};

/// Sanitizer_ResourceModuleData.
struct ModuleData {
    CUcontext context;
    CUmodule module;
    std::size_t cubinSize;
    const char* cubin;
};

/// Sanitizer_LaunchData.
struct LaunchData {
    CUcontext context;
    CUstream stream;
    Stream streamHandle;
    CUmodule module;
    CUfunction function;
    const char* functionName;
    std::uint32_t gridX, gridY, gridZ;
    std::uint32_t blockX, blockY, blockZ;
    std::uint32_t clusterX, clusterY, clusterZ;
    std::uint64_t gridId;
    Launch launch;
    CUdevice device;
    CUcontext apiContext;
    CUstream apiStream;
    Stream apiStreamHandle;
};
static_assert(offsetof(LaunchData, gridId) == 88 && offsetof(LaunchData, apiStreamHandle) == 128);

/// Sanitizer_GraphNodeLaunchData, up to what a kernel's launch is.
struct GraphNodeLaunchData {
    CUgraphExec graphExec;
    std::uint32_t launchId;
    CUgraphNode node;
    CUgraphNodeType nodeType;
    LaunchData launch;  ///< of a kernel node
};

/// Sanitizer_GraphLaunchData.
struct GraphLaunchData {
    CUcontext context;
    CUstream stream;
    Stream streamHandle;
    CUgraphExec graphExec;
    std::uint32_t isUpload;
};

/// Sanitizer_CallbackFunc.
using Callback = void (*)(void* user, std::uint32_t domain, std::uint32_t id, const void* data);

}  // namespace vramscope::collector::sanitizer
