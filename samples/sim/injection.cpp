// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/injection.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace vramscope::sim {
namespace {

std::string ownFolder() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<void*>(&loadInjection), &info) || !info.dli_fname) return {};
    const std::string path = info.dli_fname;
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

}  // namespace

void loadInjection() {
    static std::atomic<bool> loaded{false};
    if (loaded.exchange(true)) return;
    dlopen((ownFolder() + "libcupti.so.13").c_str(), RTLD_NOW | RTLD_LOCAL);
    const char* path = std::getenv("CUDA_INJECTION64_PATH");
    if (!path || !*path || std::strcmp(path, "none") == 0) return;
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;  // the real driver says nothing either
    using Initialize = int (*)();
    if (auto initialize = reinterpret_cast<Initialize>(dlsym(library, "InitializeInjection"))) initialize();
}

}  // namespace vramscope::sim
