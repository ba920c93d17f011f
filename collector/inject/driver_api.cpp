// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/driver_api.h"

#include <dlfcn.h>

#include "collector/inject/process_hooks.h"

namespace vramscope::collector {

DriverApi g_driver;
DriverActions g_driverActions;

namespace {

void* g_library = nullptr;

template <typename Function>
bool resolve(const char* name, Function& target) {
    target = reinterpret_cast<Function>(::dlsym(g_library, name));
    return target != nullptr;
}

void loadDriverActions() {
    DriverActions& actions = g_driverActions;
    const bool found[] = {
        resolve("cuModuleLoadData", actions.moduleLoadData),
        resolve("cuModuleGetFunction", actions.moduleGetFunction),
        resolve("cuStreamCreate", actions.streamCreate),
        resolve("cuStreamSynchronize", actions.streamSynchronize),
        resolve("cuCtxSynchronize", actions.contextSynchronize),
        resolve("cuMemAlloc_v2", actions.memAlloc),
        resolve("cuMemFree_v2", actions.memFree),
        resolve("cuMemsetD8Async", actions.memsetD8Async),
        resolve("cuMemHostAlloc", actions.memHostAlloc),
        resolve("cuMemGetInfo_v2", actions.memGetInfo),
        resolve("cuLaunchKernel", actions.launchKernel),
    };
    actions.areAllThere = true;
    for (const bool one : found)
        actions.areAllThere = actions.areAllThere && one;
}

}  // namespace

void loadDriverApi() {
    // The driver is what loaded us; this only asks for its handle.
    g_library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (g_library == nullptr) return;
    loadDriverActions();
    resolve("cuDriverGetVersion", g_driver.driverGetVersion);
    resolve("cuDeviceGetName", g_driver.deviceGetName);
    resolve("cuDeviceGetUuid_v2", g_driver.deviceGetUuid);
    resolve("cuDeviceTotalMem_v2", g_driver.deviceTotalMem);
    resolve("cuCtxGetDevice", g_driver.ctxGetDevice);
    resolve("cuDeviceGetMemPool", g_driver.deviceGetMemPool);
    resolve("cuMemPoolGetAttribute", g_driver.memPoolGetAttribute);
    resolve("cuMemGetAddressRange_v2", g_driver.memGetAddressRange);
    resolve("cuStreamIsCapturing", g_driver.streamIsCapturing);
    resolve("cuFuncGetParamInfo", g_driver.funcGetParamInfo);
    resolve("cuFuncGetName", g_driver.funcGetName);
    resolve("cuKernelGetName", g_driver.kernelGetName);
    resolve("cuDeviceGetGraphMemAttribute", g_driver.deviceGetGraphMemAttribute);
    resolve("cuKernelGetParamInfo", g_driver.kernelGetParamInfo);
}

bool mayCallDriver() {
    return !isExiting();
}

}  // namespace vramscope::collector
