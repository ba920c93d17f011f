// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "samples/sim/context.h"
#include "samples/sim/module_image.h"

namespace vramscope::sim {

/// A loaded image: behind a CUmodule (in one context) or a CUlibrary (in none). Guarded by the driver's lock.
struct Module {
    Context* context = nullptr;
    uint32_t id = 0;
    std::string bytes;  ///< the image, for MODULE_LOADED
    void* library = nullptr;
    int descriptor = -1;  ///< of the file that the library was opened from
    const ModuleImage* image = nullptr;
    bool alive = true;
    bool isLibrary = false;
};

/// A kernel of a loaded image: behind a CUfunction or, from a library, a CUkernel. Never deleted.
struct Function {
    Module* module = nullptr;
    const KernelImage* kernel = nullptr;
    bool isKernelHandle = false;
};

/// Loads an image that lies in memory; its length is read from its own header. CUDA_ERROR_INVALID_IMAGE for
/// what is no image, CUDA_ERROR_NO_BINARY_FOR_GPU for one made for another machine (a real GPU's, for
/// example).
CUresult loadImage(const void* image, Context* context, Module** module);
/// The same for a file; CUDA_ERROR_FILE_NOT_FOUND when it cannot be read.
CUresult loadImageFile(const char* path, Context* context, Module** module);
/// Raises MODULE_LOADED; drops the lock for it.
void announceModule(Module& module);
/// Raises MODULE_UNLOAD_STARTING and unloads. Drops the lock for the callback.
void unloadModule(Module& module);

/// Where the machine code of a module's exported function lies; false when it has none of that name.
bool placeOfFunction(const Module& module, const char* name, uint64_t& pc, uint64_t& sizeBytes);
/// By its number; null when there is none.
Module* moduleOfId(uint32_t id);

/// Null for a handle that is none or dead.
Module* findModule(const void* handle);
Function* findFunction(const void* handle);
/// The kernel of that name as a handle, the same one each time; null when the image has none.
Function* functionOf(Module& module, std::string_view name);
std::vector<const KernelImage*> kernelsOf(const Module& module);

/// For callbacks: the name of a function, null when there is no such function. Takes the driver's lock.
const char* nameOfFunction(CUfunction handle);

}  // namespace vramscope::sim
