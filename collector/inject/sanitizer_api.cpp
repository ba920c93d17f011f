// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sanitizer_api.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <link.h>

namespace vramscope::collector {

SanitizerApi g_sanitizer;

namespace {

constexpr const char* kFile = "libsanitizer-public.so";

void* openFile(const char* file, char* path, std::size_t pathBytes) {
    void* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    const link_map* map = nullptr;
    const bool known = ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] != '\0';
    std::snprintf(path, pathBytes, "%s", known ? map->l_name : file);
    return library;
}

void* openIn(const char* folder, char* path, std::size_t pathBytes) {
    char file[2048];
    const int length = std::snprintf(file, sizeof(file), "%s/%s", folder, kFile);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof(file)) return nullptr;
    return openFile(file, path, pathBytes);
}

struct SitePackages {
    char folder[512] = "";
};

int findSitePackages(dl_phdr_info* info, std::size_t /*size*/, void* data) {
    auto& packages = *static_cast<SitePackages*>(data);
    for (const char* name : {"/site-packages/", "/dist-packages/"}) {
        const char* at = std::strstr(info->dlpi_name, name);
        if (at == nullptr || packages.folder[0] != '\0') continue;
        const std::size_t length = static_cast<std::size_t>(at - info->dlpi_name) + std::strlen(name);
        if (length < sizeof(packages.folder)) std::memcpy(packages.folder, info->dlpi_name, length);
    }
    return 0;
}

void* open(char* path, std::size_t pathBytes) {
    if (const char* chosen = std::getenv("VRAMSCOPE_SANITIZER"); chosen != nullptr && chosen[0] != '\0') {
        void* library = openFile(chosen, path, pathBytes);
        return library != nullptr ? library : openIn(chosen, path, pathBytes);
    }
    SitePackages packages;
    ::dl_iterate_phdr(findSitePackages, &packages);
    if (packages.folder[0] != '\0') {
        for (const char* tail : {"nvidia/cu13/compute-sanitizer", "nvidia/cu13/lib"}) {
            char folder[1024];
            std::snprintf(folder, sizeof(folder), "%s%s", packages.folder, tail);
            if (void* library = openIn(folder, path, pathBytes)) return library;
        }
    }
    if (void* library = openFile(kFile, path, pathBytes)) return library;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
        const char* toolkit = std::getenv(variable);
        if (toolkit == nullptr || toolkit[0] == '\0') continue;
        char folder[1024];
        std::snprintf(folder, sizeof(folder), "%s/compute-sanitizer", toolkit);
        if (void* library = openIn(folder, path, pathBytes)) return library;
    }
    for (const char* folder : {"/usr/local/cuda/compute-sanitizer", "/opt/cuda/extras/compute-sanitizer"}) {
        if (void* library = openIn(folder, path, pathBytes)) return library;
    }
    return nullptr;
}

template <typename Function>
bool resolve(void* library, const char* name, Function& target) {
    target = reinterpret_cast<Function>(::dlsym(library, name));
    return target != nullptr;
}

bool resolveAll(void* library) {
    SanitizerApi& api = g_sanitizer;
    static_cast<void>(resolve(library, "sanitizerGetFunctionPcAndSize", api.functionPlace));
    return resolve(library, "sanitizerSubscribe", api.subscribe) &&
           resolve(library, "sanitizerEnableCallback", api.enableCallback) &&
           resolve(library, "sanitizerGetResultString", api.getResultString) &&
           resolve(library, "sanitizerAddPatches", api.addPatches) &&
           resolve(library, "sanitizerPatchInstructions", api.patchInstructions) &&
           resolve(library, "sanitizerPatchModule", api.patchModule) &&
           resolve(library, "sanitizerSetLaunchCallbackData", api.setLaunchCallbackData) &&
           resolve(library, "sanitizerAlloc", api.alloc) &&
           resolve(library, "sanitizerMemcpyHostToDeviceAsync", api.copyToDevice) &&
           resolve(library, "sanitizerMemcpyDeviceToHost", api.copyToHost) &&
           resolve(library, "sanitizerMemset", api.set) &&
           resolve(library, "sanitizerStreamSynchronize", api.synchronize);
}

}  // namespace

bool loadSanitizer(char* path, std::size_t pathBytes, char* reason, std::size_t reasonBytes) {
    void* library = open(path, pathBytes);
    if (library == nullptr) {
        std::snprintf(
            reason, reasonBytes,
            "--engine exact needs the Compute Sanitizer API, and %s was not found. Install the CUDA "
            "toolkit's compute-sanitizer or the PyPI package nvidia-cuda-sanitizer-api, or set "
            "VRAMSCOPE_SANITIZER to its folder.",
            kFile);
        return false;
    }
    if (!resolveAll(library)) {
        std::snprintf(reason, reasonBytes,
                      "%s lacks calls that --engine exact needs (Compute Sanitizer 2023 or newer).", path);
        return false;
    }
    return true;
}

}  // namespace vramscope::collector
