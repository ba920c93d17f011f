// SPDX-License-Identifier: Apache-2.0
// Another tool in the job: put into LD_PRELOAD, it takes CUPTI's only seat before the job begins.
#include <cstdio>
#include <cupti.h>
#include <dlfcn.h>

namespace {

void CUPTIAPI onCallback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

__attribute__((constructor)) void subscribeFirst() {
    using Subscribe = CUptiResult(CUPTIAPI*)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*);
    // The programs that the launcher and a shell start have no driver and no business here.
    void* library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return;
    const auto subscribe = reinterpret_cast<Subscribe>(dlsym(library, "cuptiSubscribe"));
    CUpti_SubscriberHandle subscriber = nullptr;
    if (subscribe != nullptr && subscribe(&subscriber, onCallback, nullptr) == CUPTI_SUCCESS) {
        std::fprintf(stderr, "first subscriber is in\n");
    }
}

}  // namespace
