// SPDX-License-Identifier: Apache-2.0
// Modules (images loaded into one context) and libraries (images for all contexts), and the kernels in them.
#include "samples/sim/module.h"

#include <cstring>

#include "samples/sim/entry_point.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {
namespace {

template <typename Handle>
Handle handleAs(const void* object) {
    return reinterpret_cast<Handle>(const_cast<void*>(object));
}

CUresult finishLoad(CUresult result, Module* module, CUmodule* handle) {
    if (result != CUDA_SUCCESS) return result;
    *handle = handleAs<CUmodule>(module);
    announceModule(*module);
    return CUDA_SUCCESS;
}

CUresult loadFromMemory(CUmodule* handle, const void* image) {
    if (!handle || !image) return CUDA_ERROR_INVALID_VALUE;
    Module* module = nullptr;
    const CUresult result = loadImage(image, currentContext(), &module);
    return finishLoad(result, module, handle);
}

CUresult globalOf(const Module* module, const char* name, CUdeviceptr* address, size_t* sizeBytes) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    for (const VariableImage* variable = module->image->variables; variable; variable = variable->next) {
        if (std::strcmp(variable->name, name) != 0) continue;
        if (address) *address = reinterpret_cast<CUdeviceptr>(variable->address);
        if (sizeBytes) *sizeBytes = variable->sizeBytes;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

Module* findKind(const void* handle, bool library) {
    Module* module = findModule(handle);
    return module && module->isLibrary == library ? module : nullptr;
}

template <typename Handle>
CUresult kernelNamed(Module* module, const char* name, Handle* handle) {
    if (!handle || !name) return CUDA_ERROR_INVALID_VALUE;
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    const Function* function = functionOf(*module, name);
    if (!function) return CUDA_ERROR_NOT_FOUND;
    *handle = handleAs<Handle>(function);
    return CUDA_SUCCESS;
}

CUresult nameOf(const char** name, const void* handle) {
    const Function* function = findFunction(handle);
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    *name = function->kernel->name;
    return CUDA_SUCCESS;
}

CUresult finishLibrary(CUresult result, Module* module, CUlibrary* handle) {
    if (result != CUDA_SUCCESS) return result;
    module->isLibrary = true;
    *handle = handleAs<CUlibrary>(module);
    announceModule(*module);
    return CUDA_SUCCESS;
}

}  // namespace

SIM_API(Context, cuModuleLoad, CUmodule* handle, const char* path) {
    if (!handle || !path) return CUDA_ERROR_INVALID_VALUE;
    Module* module = nullptr;
    const CUresult result = loadImageFile(path, currentContext(), &module);
    return finishLoad(result, module, handle);
}

SIM_API(Context, cuModuleLoadData, CUmodule* handle, const void* image) {
    return loadFromMemory(handle, image);
}

SIM_API(Context, cuModuleLoadDataEx, CUmodule* handle, const void* image, unsigned int, CUjit_option*,
        void**) {
    return loadFromMemory(handle, image);
}

SIM_API(Context, cuModuleLoadFatBinary, CUmodule* handle, const void* image) {
    return loadFromMemory(handle, image);
}

SIM_API(Context, cuModuleUnload, CUmodule handle) {
    Module* module = findKind(handle, false);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    finishContext(*currentContext());
    unloadModule(*module);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuModuleGetFunction, CUfunction* function, CUmodule module, const char* name) {
    return kernelNamed(findKind(module, false), name, function);
}

SIM_API(Context, cuModuleGetGlobal_v2, CUdeviceptr* address, size_t* sizeBytes, CUmodule module,
        const char* name) {
    return globalOf(findKind(module, false), name, address, sizeBytes);
}

SIM_API(Context, cuFuncGetModule, CUmodule* handle, CUfunction function) {
    const Function* found = findFunction(function);
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    if (!found) return CUDA_ERROR_INVALID_HANDLE;
    *handle = handleAs<CUmodule>(found->module);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuFuncGetName, const char** name, CUfunction function) {
    return nameOf(name, function);
}

SIM_API(Driver, cuLibraryLoadData, CUlibrary* handle, const void* image, CUjit_option*, void**, unsigned int,
        CUlibraryOption*, void**, unsigned int) {
    if (!handle || !image) return CUDA_ERROR_INVALID_VALUE;
    Module* module = nullptr;
    const CUresult result = loadImage(image, nullptr, &module);
    return finishLibrary(result, module, handle);
}

SIM_API(Driver, cuLibraryLoadFromFile, CUlibrary* handle, const char* path, CUjit_option*, void**,
        unsigned int, CUlibraryOption*, void**, unsigned int) {
    if (!handle || !path) return CUDA_ERROR_INVALID_VALUE;
    Module* module = nullptr;
    const CUresult result = loadImageFile(path, nullptr, &module);
    return finishLibrary(result, module, handle);
}

SIM_API(Driver, cuLibraryUnload, CUlibrary handle) {
    Module* module = findKind(handle, true);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    if (currentContext() && currentContext()->alive) finishContext(*currentContext());
    unloadModule(*module);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuLibraryGetKernel, CUkernel* kernel, CUlibrary library, const char* name) {
    return kernelNamed(findKind(library, true), name, kernel);
}

SIM_API(Context, cuLibraryGetModule, CUmodule* module, CUlibrary library) {
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    if (!findKind(library, true)) return CUDA_ERROR_INVALID_HANDLE;
    *module = handleAs<CUmodule>(findKind(library, true));
    return CUDA_SUCCESS;
}

SIM_API(Context, cuLibraryGetGlobal, CUdeviceptr* address, size_t* sizeBytes, CUlibrary library,
        const char* name) {
    return globalOf(findKind(library, true), name, address, sizeBytes);
}

SIM_API(Context, cuKernelGetFunction, CUfunction* function, CUkernel kernel) {
    const Function* found = findFunction(kernel);
    if (!function) return CUDA_ERROR_INVALID_VALUE;
    if (!found) return CUDA_ERROR_INVALID_HANDLE;
    *function = handleAs<CUfunction>(found);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuKernelGetName, const char** name, CUkernel kernel) {
    return nameOf(name, kernel);
}

SIM_API(Driver, cuKernelGetLibrary, CUlibrary* library, CUkernel kernel) {
    const Function* found = findFunction(kernel);
    if (!library) return CUDA_ERROR_INVALID_VALUE;
    if (!found) return CUDA_ERROR_INVALID_HANDLE;
    *library = handleAs<CUlibrary>(found->module);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuModuleGetLoadingMode, CUmoduleLoadingMode* mode) {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
