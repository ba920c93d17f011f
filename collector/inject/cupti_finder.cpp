// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/cupti_finder.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <link.h>

namespace vramscope::collector {

namespace {

struct Mapped {
    char cupti[512] = "";         // the first mapped libcupti
    char sitePackages[512] = "";  // the Python package folder that some mapped library lies in
};

void keep(char (&target)[512], const char* text, std::size_t length) {
    if (target[0] != '\0' || length >= sizeof(target)) return;
    std::memcpy(target, text, length);
    target[length] = '\0';
}

int visit(dl_phdr_info* info, std::size_t /*size*/, void* data) {
    auto& mapped = *static_cast<Mapped*>(data);
    const char* name = info->dlpi_name;
    const char* slash = std::strrchr(name, '/');
    if (std::strncmp(slash != nullptr ? slash + 1 : name, "libcupti.so", 11) == 0) {
        keep(mapped.cupti, name, std::strlen(name));
    }
    for (const char* folder : {"/site-packages/", "/dist-packages/"}) {
        if (const char* at = std::strstr(name, folder)) {
            keep(mapped.sitePackages, name, static_cast<std::size_t>(at - name) + std::strlen(folder));
        }
    }
    return 0;
}

// Global and by the same name: when the framework asks for its libcupti later, the loader hands out this one.
void* openFile(const char* file, char* path, std::size_t pathBytes) {
    void* library = ::dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return nullptr;
    const link_map* map = nullptr;
    const bool known = ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] != '\0';
    std::snprintf(path, pathBytes, "%s", known ? map->l_name : file);
    return library;
}

}  // namespace

void* openCupti(char* path, std::size_t pathBytes) {
    Mapped mapped;
    ::dl_iterate_phdr(visit, &mapped);
    if (mapped.cupti[0] != '\0') {
        if (void* library = openFile(mapped.cupti, path, pathBytes)) return library;
    }
    if (mapped.sitePackages[0] != '\0') {
        for (const char* tail : {"nvidia/cu13/lib/libcupti.so.13", "nvidia/cuda_cupti/lib/libcupti.so.13",
                                 "nvidia/cuda_cupti/lib/libcupti.so.12"}) {
            char file[1024];
            std::snprintf(file, sizeof(file), "%s%s", mapped.sitePackages, tail);
            if (void* library = openFile(file, path, pathBytes)) return library;
        }
    }
    for (const char* file :
         {"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so.13",
          "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.12",
          "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.12"}) {
        if (void* library = openFile(file, path, pathBytes)) return library;
    }
    return nullptr;
}

}  // namespace vramscope::collector
