// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/module.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_set>

#include "samples/sim/allocations.h"
#include "samples/sim/callback_dispatch.h"
#include "samples/sim/context_objects.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/machine.h"
#include "samples/sim/stand_in.h"

namespace vramscope::sim {
namespace {

struct Modules {
    std::vector<Module*> all;
    std::vector<Function*> functions;
    std::unordered_set<const void*> functionHandles;
    uint32_t lastId = 0;
};

Modules& modules() {
    static Modules* const instance = new Modules;
    return *instance;
}

#if defined(__aarch64__)
constexpr auto kMachine = EM_AARCH64;
#else
constexpr auto kMachine = EM_X86_64;
#endif
constexpr unsigned char kFatbinMagic[4] = {0x50, 0xed, 0x55, 0xba};

/// The length of an ELF file: its section table comes last.
CUresult measure(const unsigned char* image, size_t& sizeBytes) {
    if (std::memcmp(image, kFatbinMagic, sizeof kFatbinMagic) == 0) return CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (std::memcmp(image, ELFMAG, SELFMAG) != 0) {
        return std::memcmp(image, "//", 2) == 0 || image[0] == '.' ? CUDA_ERROR_NO_BINARY_FOR_GPU
                                                                   : CUDA_ERROR_INVALID_IMAGE;
    }
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (header.e_type != ET_DYN) return CUDA_ERROR_INVALID_IMAGE;
    sizeBytes = header.e_shoff + size_t(header.e_shnum) * header.e_shentsize;
    return CUDA_SUCCESS;
}

/// Opens the image from a file of its own in memory, so that each load has its own variables. The file must
/// stay open: the loader takes a second file under the same descriptor's path for the first one.
void* openImage(const std::string& bytes, int& descriptor) {
    descriptor = memfd_create("module", MFD_CLOEXEC);
    if (descriptor < 0) return nullptr;
    void* library = nullptr;
    if (write(descriptor, bytes.data(), bytes.size()) == ssize_t(bytes.size())) {
        const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
        library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    if (!library) close(descriptor);
    return library;
}

CUresult loadBytes(std::string bytes, Context* context, Module** result) {
    int descriptor = -1;
    void* library = openImage(bytes, descriptor);
    if (!library) return CUDA_ERROR_INVALID_IMAGE;
    const auto imageOf = reinterpret_cast<ModuleImageFunction>(dlsym(library, kModuleImageSymbol));
    const ModuleImage* image = imageOf ? imageOf() : nullptr;
    if (!image || image->version != kModuleImageVersion) {
        dlclose(library);
        close(descriptor);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    auto* module = new Module;
    module->context = context;
    module->id = ++modules().lastId;
    module->bytes = std::move(bytes);
    module->library = library;
    module->descriptor = descriptor;
    module->image = image;
    modules().all.push_back(module);
    for (const VariableImage* variable = image->variables; variable; variable = variable->next) {
        Allocation allocation;
        allocation.address = reinterpret_cast<uint64_t>(variable->address);
        allocation.sizeBytes = variable->sizeBytes;
        allocation.kind = MemoryKind::Module;
        allocation.context = context;
        allocations().add(std::move(allocation));
    }
    *result = module;
    return CUDA_SUCCESS;
}

}  // namespace

CUresult loadImage(const void* image, Context* context, Module** module) {
    size_t sizeBytes = 0;
    const auto* bytes = static_cast<const unsigned char*>(image);
    if (std::memcmp(bytes, kFatbinMagic, sizeof kFatbinMagic) == 0) {
        std::string standIn = standInFor(image);
        if (!standIn.empty()) return loadBytes(std::move(standIn), context, module);
    }
    if (const CUresult result = measure(bytes, sizeBytes); result != CUDA_SUCCESS) return result;
    return loadBytes(std::string(reinterpret_cast<const char*>(bytes), sizeBytes), context, module);
}

CUresult loadImageFile(const char* path, Context* context, Module** module) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    size_t sizeBytes = 0;
    if (bytes.size() < sizeof(Elf64_Ehdr)) return CUDA_ERROR_INVALID_IMAGE;
    const CUresult result = measure(reinterpret_cast<const unsigned char*>(bytes.data()), sizeBytes);
    if (result != CUDA_SUCCESS) return result;
    if (sizeBytes > bytes.size()) return CUDA_ERROR_INVALID_IMAGE;
    return loadBytes(std::move(bytes), context, module);
}

static void raiseModule(CUpti_CallbackIdResource id, const Module& module) {
    CUpti_ModuleResourceData data{module.id, module.bytes.size(), module.bytes.data()};
    Context* context = module.context ? module.context : currentContext();
    Unlocked unlocked;
    raiseResource(id, context ? handleOf(context) : nullptr, nullptr, &data);
}

void announceModule(Module& module) {
    raiseModule(CUPTI_CBID_RESOURCE_MODULE_LOADED, module);
}

void unloadModule(Module& module) {
    raiseModule(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, module);
    if (!module.alive) return;
    module.alive = false;
    for (const VariableImage* variable = module.image->variables; variable; variable = variable->next) {
        allocations().remove(reinterpret_cast<uint64_t>(variable->address));
    }
    dlclose(module.library);
    close(module.descriptor);
}

bool placeOfFunction(const Module& module, const char* name, uint64_t& pc, uint64_t& sizeBytes) {
    void* const code = dlsym(module.library, name);
    Dl_info info{};
    void* entry = nullptr;
    if (!code || !dladdr1(code, &info, &entry, RTLD_DL_SYMENT) || !entry) return false;
    pc = reinterpret_cast<uint64_t>(code);
    sizeBytes = static_cast<const Elf64_Sym*>(entry)->st_size;
    return true;
}

Module* moduleOfId(uint32_t id) {
    const auto& all = modules().all;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Module* m) { return m->id == id; });
    return found != all.end() && (*found)->alive ? *found : nullptr;
}

Module* findModule(const void* handle) {
    const auto& all = modules().all;
    const auto found = std::find(all.begin(), all.end(), handle);
    return found != all.end() && (*found)->alive ? *found : nullptr;
}

Function* findFunction(const void* handle) {
    if (!modules().functionHandles.contains(handle)) return nullptr;
    auto* const function = *std::find(modules().functions.begin(), modules().functions.end(), handle);
    return function->module->alive ? function : nullptr;
}

std::vector<const KernelImage*> kernelsOf(const Module& module) {
    std::vector<const KernelImage*> kernels;
    for (const KernelImage* kernel = module.image->kernels; kernel; kernel = kernel->next)
        kernels.push_back(kernel);
    return kernels;
}

Function* functionOf(Module& module, std::string_view name) {
    for (Function* function : modules().functions) {
        if (function->module == &module && module.alive && name == function->kernel->name) return function;
    }
    for (const KernelImage* kernel : kernelsOf(module)) {
        if (name != kernel->name) continue;
        auto* function = new Function{&module, kernel, module.isLibrary};
        modules().functions.push_back(function);
        modules().functionHandles.insert(function);
        return function;
    }
    return nullptr;
}

const char* nameOfFunction(CUfunction handle) {
    std::lock_guard guard(machine().lock);
    const Function* function = findFunction(handle);
    return function ? function->kernel->name : nullptr;
}

void dropModules(Context& context) {
    for (Module* module : modules().all) {
        if (module->alive && module->context == &context) unloadModule(*module);
    }
}

}  // namespace vramscope::sim
