// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/driver_probe.h"

#include <cstdlib>
#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "collector/launcher/probe_answer.h"
#include "collector/launcher/probe_child.h"

namespace vramscope::collector {

namespace {

// cuInit on a machine with many GPUs and without the persistence daemon takes a second or more for each.
constexpr std::chrono::seconds kLimit{30};

template <typename Function>
Function* functionOf(void* library, const char* name) {
    return reinterpret_cast<Function*>(::dlsym(library, name));
}

std::string errorText(void* library, CUresult result) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (auto* getName = functionOf<decltype(cuGetErrorName)>(library, "cuGetErrorName"))
        getName(result, &name);
    if (auto* getText = functionOf<decltype(cuGetErrorString)>(library, "cuGetErrorString"))
        getText(result, &text);
    return fmt::format("{} ({})", text != nullptr ? text : "unknown error",
                       name != nullptr ? name : std::to_string(result));
}

void listDevices(void* library, ProbeAnswer& answer) {
    auto* count = functionOf<decltype(cuDeviceGetCount)>(library, "cuDeviceGetCount");
    auto* getName = functionOf<decltype(cuDeviceGetName)>(library, "cuDeviceGetName");
    int devices = 0;
    if (count == nullptr || getName == nullptr || count(&devices) != CUDA_SUCCESS) return;
    for (int i = 0; i < devices; ++i) {
        char name[256] = "";
        if (getName(name, sizeof(name), i) == CUDA_SUCCESS) answer.add("device", name);
    }
}

std::string describeDriver() {
    ProbeAnswer answer;
    std::string error;
    void* library = startDriver(error);
    if (library == nullptr) {
        answer.add("missing", error);
        return answer.text();
    }
    const link_map* map = nullptr;
    if (::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) answer.add("path", map->l_name);
    int version = 0;
    auto* getVersion = functionOf<decltype(cuDriverGetVersion)>(library, "cuDriverGetVersion");
    if (getVersion != nullptr && getVersion(&version) == CUDA_SUCCESS)
        answer.add("version", std::to_string(version));
    if (!error.empty()) answer.add("error", error);
    if (error.empty()) listDevices(library, answer);
    return answer.text();
}

}  // namespace

std::string DriverProbe::versionText() const {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

void* startDriver(std::string& error) {
    for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
        ::unsetenv(name);
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        error = ::dlerror();
        return nullptr;
    }
    auto* init = functionOf<decltype(cuInit)>(library, "cuInit");
    const CUresult result = init != nullptr ? init(0) : CUDA_ERROR_NOT_FOUND;
    error = result != CUDA_SUCCESS ? errorText(library, result) : "";
    return library;
}

DriverProbe probeDriver() {
    DriverProbe probe;
    const StatusOr<std::string> text = askInChild(describeDriver, kLimit);
    if (!text.isOk()) {
        probe.trouble = fmt::format("the driver {}", text.status().message());
        return probe;
    }
    const ProbeAnswer answer(*text);
    probe.path = answer.first("path");
    probe.version = std::atoi(answer.first("version").c_str());
    probe.devices = answer.all("device");
    if (probe.path.empty()) {
        probe.trouble = "no NVIDIA driver is found: " + answer.first("missing");
    } else if (const std::string error = answer.first("error"); !error.empty()) {
        probe.trouble = "the driver does not start: " + error;
    } else if (probe.devices.empty()) {
        probe.trouble = "the driver lists no device";
    }
    return probe;
}

}  // namespace vramscope::collector
