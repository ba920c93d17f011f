// SPDX-License-Identifier: Apache-2.0
#include "collector/nvml/nvml_api.h"

#include <dlfcn.h>
#include <initializer_list>

namespace vramscope::nvml {
namespace {

template <typename Function>
void find(void* library, Function& function, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        function = reinterpret_cast<Function>(::dlsym(library, name));
        if (function != nullptr) return;
    }
}

/// Newest first. The process lists without a version fill a shorter struct and are not used: they are the
/// only ones in drivers before 465 (2021).
void findAll(void* library, Api& api) {
    find(library, api.init, {"nvmlInit_v2", "nvmlInit"});
    find(library, api.shutdown, {"nvmlShutdown"});
    find(library, api.deviceCount, {"nvmlDeviceGetCount_v2"});
    find(library, api.deviceByIndex, {"nvmlDeviceGetHandleByIndex_v2"});
    find(library, api.memoryInfo, {"nvmlDeviceGetMemoryInfo"});
    find(library, api.errorString, {"nvmlErrorString"});
    find(library, api.driverVersion, {"nvmlSystemGetDriverVersion"});
    find(library, api.uuid, {"nvmlDeviceGetUUID"});
    find(library, api.name, {"nvmlDeviceGetName"});
    find(library, api.pciInfo, {"nvmlDeviceGetPciInfo_v3"});
    find(library, api.memoryInfoV2, {"nvmlDeviceGetMemoryInfo_v2"});
    find(library, api.computeProcesses,
         {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
    find(library, api.graphicsProcesses,
         {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"});
    find(library, api.mpsProcesses,
         {"nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2"});
    find(library, api.migMode, {"nvmlDeviceGetMigMode"});
    find(library, api.maxMigDevices, {"nvmlDeviceGetMaxMigDeviceCount"});
    find(library, api.migDeviceByIndex, {"nvmlDeviceGetMigDeviceHandleByIndex"});
}

/// Api and what keeps it valid.
struct OpenLibrary {
    explicit OpenLibrary(void* opened) : handle(opened) { findAll(handle, api); }
    OpenLibrary(const OpenLibrary&) = delete;
    OpenLibrary& operator=(const OpenLibrary&) = delete;
    ~OpenLibrary() { ::dlclose(handle); }

    void* handle;
    Api api;
};

}  // namespace

std::string Api::words(Result result) const {
    const char* text = errorString == nullptr ? nullptr : errorString(result);
    return text != nullptr ? text : "NVML error " + std::to_string(result);
}

StatusOr<std::shared_ptr<const Api>> openApi(const std::string& library) {
    void* handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* reason = ::dlerror();
        return Status(
            ErrorKind::System,
            "Memory as the driver reports it is not recorded: NVML, which comes with the NVIDIA display "
            "driver, could not be opened (" +
                std::string(reason == nullptr ? library.c_str() : reason) +
                ").\n  In a container, start it with the NVIDIA runtime and the driver capability "
                "'utility'.");
    }
    auto opened = std::make_shared<OpenLibrary>(handle);
    const Api& api = opened->api;
    if (api.init == nullptr || api.shutdown == nullptr || api.deviceCount == nullptr ||
        api.deviceByIndex == nullptr || api.memoryInfo == nullptr)
        return Status(ErrorKind::System,
                      "Memory as the driver reports it is not recorded: " + library +
                          " lacks functions that every NVML since 2012 has. Check which file "
                          "the loader finds under that name.");
    return std::shared_ptr<const Api>(opened, &api);
}

}  // namespace vramscope::nvml
