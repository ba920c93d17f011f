// SPDX-License-Identifier: Apache-2.0
// The patching API. Patches are functions of the libraries (*.patches) beside this one: made by g++ from the
// source that nvcc makes the image of, which the simulation cannot run.
#include "samples/sim/sanitizer/patching.h"

#include <dlfcn.h>
#include <filesystem>
#include <mutex>

#include "samples/sim/cuda_abi.h"
#include "samples/sim/cupti/driver_link.h"

namespace vramscope::sim {
namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidParameter = 1;
constexpr int kGlobalMemoryAccess = 3;
constexpr int kLastInstruction = 42;

using Access = int (*)(void* user, uint64_t pc, void* address, uint32_t sizeBytes, uint32_t flags,
                       const void* value);

std::mutex g_lock;
Access g_access = nullptr;
thread_local const void* t_data = nullptr;

struct Accessor {
    static void run(void* user, uint64_t pc, uint64_t address, uint32_t sizeBytes, uint32_t flags) {
        g_access(user, pc, reinterpret_cast<void*>(address), sizeBytes, flags, nullptr);
    }
};

/// The function of that name in a library of patches beside this one; null when there is none.
void* findPatch(const char* name) {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<void*>(&setLaunchData), &info) || !info.dli_fname) return nullptr;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(info.dli_fname).parent_path(), error)) {
        if (entry.path().extension() != ".patches") continue;
        void* library = dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
        if (void* found = library ? dlsym(library, name) : nullptr) return found;
    }
    return nullptr;
}

}  // namespace

void setLaunchData(const void* data) {
    t_data = data;
}

LaunchPatch patchWithData() {
    if (!g_access || !t_data) return {};
    return {&Accessor::run, const_cast<void*>(t_data)};
}

}  // namespace vramscope::sim

#pragma GCC visibility push(default)
using namespace vramscope::sim;  // NOLINT: the C functions below are this file's exports
extern "C" {

int sanitizerAddPatches(const void* image, CUcontext /*context*/) {
    return image ? kSuccess : kInvalidParameter;
}

int sanitizerPatchInstructions(int instruction, CUmodule module, const char* function) {
    if (!module || !function || instruction <= 0 || instruction > kLastInstruction) return kInvalidParameter;
    void* patch = findPatch(function);
    if (!patch) return kInvalidParameter;
    // Kernels of the simulation have plain accesses only.
    std::lock_guard guard(g_lock);
    if (instruction == kGlobalMemoryAccess) g_access = reinterpret_cast<Access>(patch);
    return kSuccess;
}

int sanitizerPatchModule(CUmodule module) {
    return module ? kSuccess : kInvalidParameter;
}

int sanitizerGetFunctionPcAndSize(CUmodule module, const char* function, uint64_t* pc, uint64_t* sizeBytes) {
    if (!module || !function || !pc || !sizeBytes) return kInvalidParameter;
    const DriverTable* driver = driverTable();
    return driver && driver->functionPlace(module, function, pc, sizeBytes) ? kSuccess : kInvalidParameter;
}

int sanitizerSetLaunchCallbackData(void* /*launch*/, CUfunction /*kernel*/, void* /*stream*/,
                                   const void* data) {
    setLaunchData(data);
    return kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
