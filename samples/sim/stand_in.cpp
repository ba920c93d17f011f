// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/stand_in.h"

#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "samples/sim/module_image.h"

namespace vramscope::sim {
namespace {

namespace fs = std::filesystem;

/// Start of a fatbin; the rest of the header and what follows have the lengths that it tells.
struct FatbinHeader {
    uint32_t magic;
    uint16_t version;
    uint16_t headerBytes;
    uint64_t bodyBytes;
};

std::string_view bytesOf(const void* fatbin) {
    constexpr uint64_t kMost = uint64_t{256} << 20;
    FatbinHeader header;
    std::memcpy(&header, fatbin, sizeof header);
    if (header.bodyBytes > kMost) return {};
    return {static_cast<const char*>(fatbin), header.headerBytes + size_t(header.bodyBytes)};
}

fs::path ownFolder() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&standInFor), &info) == 0 || !info.dli_fname) return {};
    return fs::path(info.dli_fname).parent_path();
}

bool namesAllKernels(std::string_view fatbin, const fs::path& module) {
    void* library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    const auto imageOf = reinterpret_cast<ModuleImageFunction>(dlsym(library, kModuleImageSymbol));
    const ModuleImage* image = imageOf ? imageOf() : nullptr;
    bool named = image && image->version == kModuleImageVersion && image->kernels;
    for (const KernelImage* kernel = named ? image->kernels : nullptr; kernel; kernel = kernel->next)
        named = named && fatbin.find(kernel->name) != std::string_view::npos;
    dlclose(library);
    return named;
}

}  // namespace

std::string standInFor(const void* fatbin) {
    const std::string_view image = bytesOf(fatbin);
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(ownFolder(), error)) {
        if (entry.path().extension() != ".module" || !namesAllKernels(image, entry.path())) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    return {};
}

}  // namespace vramscope::sim
