// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/driver_api.h"

#include <dlfcn.h>
#include <type_traits>

#include "collector/inject/process_hooks.h"

namespace vramscope::collector {

DriverApi g_driver;

void loadDriverApi() {
    // The driver is what loaded us; this only asks for its handle.
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return;
    const auto resolve = [library](const char* name, auto& target) {
        target = reinterpret_cast<std::remove_reference_t<decltype(target)>>(::dlsym(library, name));
    };
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
