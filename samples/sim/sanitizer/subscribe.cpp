// SPDX-License-Identifier: Apache-2.0
// The callback API: one subscriber, which gets the driver's callbacks in this API's shape. Structures as
// sanitizer_callbacks.h (2025.3) lays them out.
#include <atomic>
#include <cstring>

#include "samples/sim/cuda_abi.h"
#include "samples/sim/cupti/driver_link.h"
#include "samples/sim/sanitizer/patching.h"

namespace vramscope::sim {
namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidParameter = 1;
constexpr int kInvalidDomain = 4;
constexpr int kMaxLimitReached = 10;
constexpr int kNotInitialized = 13;

constexpr uint32_t kDriverApi = 1;
constexpr uint32_t kRuntimeApi = 2;
constexpr uint32_t kResource = 3;
constexpr uint32_t kLaunch = 5;
constexpr uint32_t kGraphs = 10;
constexpr uint32_t kDomainEnd = 13;

constexpr uint32_t kContextCreated = 3;
constexpr uint32_t kContextDestroyStarting = 4;
constexpr uint32_t kModuleLoaded = 9;
constexpr uint32_t kModuleUnloadStarting = 10;
constexpr uint32_t kLaunchBegin = 1;
constexpr uint32_t kNodeLaunchBegin = 4;

using Callback = void (*)(void* user, uint32_t domain, uint32_t id, const void* data);

struct ApiData {
    int callbackSite;
    const char* functionName;
    const void* functionParams;
    const void* functionReturnValue;
    const char* symbolName;
    CUcontext context;
};
struct ContextData {
    CUcontext context;
    CUdevice device;
};
struct ModuleData {
    CUcontext context;
    CUmodule module;
    size_t cubinSize;
    const char* cubin;
    CUlibrary library;
};
struct LaunchData {
    CUcontext context;
    CUstream stream;
    void* streamHandle;
    CUmodule module;
    CUfunction function;
    const char* functionName;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t cluster[3];
    uint64_t gridId;
    void* launch;
    CUdevice device;
    CUcontext apiContext;
    CUstream apiStream;
    void* apiStreamHandle;
};
struct NodeLaunchData {
    CUgraphExec exec;
    uint32_t launchId;
    CUgraphNode node;
    CUgraphNodeType nodeType;
    LaunchData launch;
};

struct Subscriber {
    Callback callback = nullptr;
    void* user = nullptr;
    std::atomic<bool> enabled[kDomainEnd][kCallbackIdLimit]{};
};

Subscriber g_subscriber;
std::atomic<bool> g_isTaken{false};

void raise(uint32_t domain, uint32_t id, const void* data) {
    if (g_subscriber.enabled[domain][id].load(std::memory_order_relaxed))
        g_subscriber.callback(g_subscriber.user, domain, id, data);
}

void raiseModule(uint32_t id, const CUpti_ResourceData& from) {
    const auto* module = static_cast<const CUpti_ModuleResourceData*>(from.resourceDescriptor);
    ModuleData data{from.context, driverTable()->moduleHandle(module->moduleId), module->cubinSize,
                    module->pCubin, nullptr};
    raise(kResource, id, &data);
}

void onResource(uint32_t id, const CUpti_ResourceData& from) {
    const ContextData context{from.context, 0};
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) raise(kResource, kContextCreated, &context);
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
        raise(kResource, kContextDestroyStarting, &context);
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) raiseModule(kModuleLoaded, from);
    if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING) raiseModule(kModuleUnloadStarting, from);
}

void CUPTIAPI onDriver(void* /*user*/, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE)
        return onResource(id, *static_cast<const CUpti_ResourceData*>(data));
    const auto& from = *static_cast<const CUpti_CallbackData*>(data);
    const ApiData call{from.callbackSite == CUPTI_API_ENTER ? 0 : 1,
                       from.functionName,
                       from.functionParams,
                       from.functionReturnValue,
                       from.symbolName,
                       from.context};
    raise(static_cast<uint32_t>(domain), id, &call);
}

LaunchPatch onLaunch(const KernelLaunch& from) {
    setLaunchData(nullptr);
    LaunchData data{};
    data.context = data.apiContext = from.context;
    data.stream = from.stream;
    data.streamHandle = from.streamHandle;
    data.module = from.module;
    data.function = from.function;
    data.functionName = from.name;
    std::memcpy(data.grid, from.grid, sizeof data.grid);
    std::memcpy(data.block, from.block, sizeof data.block);
    if (from.isGraphNode) {
        NodeLaunchData node{nullptr, 0, nullptr, CU_GRAPH_NODE_TYPE_KERNEL, data};
        raise(kGraphs, kNodeLaunchBegin, &node);
    } else {
        raise(kLaunch, kLaunchBegin, &data);
    }
    return patchWithData();
}

/// What the driver's own dispatcher has to raise for it.
void enableInDriver(uint32_t domain, uint32_t id, bool on) {
    const DriverTable* driver = driverTable();
    if (domain == kDriverApi || domain == kRuntimeApi)
        driver->enableCallback(static_cast<CUpti_CallbackDomain>(domain), id, on);
    if (domain != kResource) return;
    const auto resource = [&](CUpti_CallbackIdResource theirs) {
        driver->enableCallback(CUPTI_CB_DOMAIN_RESOURCE, theirs, on);
    };
    if (id == kContextCreated) resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
    if (id == kContextDestroyStarting) resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
    if (id == kModuleLoaded) resource(CUPTI_CBID_RESOURCE_MODULE_LOADED);
    if (id == kModuleUnloadStarting) resource(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
}

}  // namespace
}  // namespace vramscope::sim

#pragma GCC visibility push(default)
using namespace vramscope::sim;  // NOLINT: the C functions below are this file's exports
extern "C" {

int sanitizerSubscribe(void** handle, Callback callback, void* user) {
    if (!handle || !callback) return kInvalidParameter;
    const DriverTable* driver = driverTable();
    if (!driver) return kNotInitialized;
    if (g_isTaken.exchange(true)) return kMaxLimitReached;
    g_subscriber.callback = callback;
    g_subscriber.user = user;
    // The driver has one subscriber, whichever library it came through.
    if (!driver->subscribe(onDriver, nullptr)) {
        g_isTaken = false;
        return kNotInitialized;
    }
    driver->watchLaunches(onLaunch);
    *handle = &g_subscriber;
    return kSuccess;
}

int sanitizerEnableCallback(uint32_t enable, void* handle, uint32_t domain, uint32_t id) {
    if (handle != &g_subscriber) return kInvalidParameter;
    if (domain == 0 || domain >= kDomainEnd || id >= kCallbackIdLimit) return kInvalidDomain;
    g_subscriber.enabled[domain][id] = enable != 0;
    enableInDriver(domain, id, enable != 0);
    return kSuccess;
}

int sanitizerGetResultString(int result, const char** text) {
    if (!text) return kInvalidParameter;
    *text = result == kSuccess ? "no error" : "error";
    return kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
