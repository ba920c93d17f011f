// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/cupti_api.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

#include "collector/inject/cupti_finder.h"

namespace vramscope::collector {

CuptiApi g_cupti;

namespace {

template <typename Function>
bool resolve(void* library, const char* name, Function& target) {
    target = reinterpret_cast<Function>(::dlsym(library, name));
    return target != nullptr;
}

bool resolveAll(void* library) {
    resolve(library, "cuptiSubscribe_v2", g_cupti.subscribeV2);
    return resolve(library, "cuptiSubscribe", g_cupti.subscribe) &&
           resolve(library, "cuptiEnableCallback", g_cupti.enableCallback) &&
           resolve(library, "cuptiGetVersion", g_cupti.getVersion) &&
           resolve(library, "cuptiGetContextId", g_cupti.getContextId) &&
           resolve(library, "cuptiGetDeviceId", g_cupti.getDeviceId) &&
           resolve(library, "cuptiGetResultString", g_cupti.getResultString);
}

}  // namespace

bool loadCupti(char* path, std::size_t pathBytes, char* reason, std::size_t reasonBytes) {
    void* library = openCupti(path, pathBytes);
    if (library == nullptr) {
        std::snprintf(
            reason, reasonBytes,
            "no libcupti.so.13 or libcupti.so.12 was found. Install the CUDA toolkit or the PyPI package "
            "nvidia-cuda-cupti, or put its folder on LD_LIBRARY_PATH.");
        return false;
    }
    if (!resolveAll(library)) {
        std::snprintf(reason, reasonBytes, "%s lacks calls that this version needs (CUPTI 12.0 or newer).",
                      path);
        return false;
    }
    return true;
}

}  // namespace vramscope::collector
