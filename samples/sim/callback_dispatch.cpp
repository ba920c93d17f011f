// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/callback_dispatch.h"

#include <atomic>

#include "samples/sim/driver_table.h"

namespace vramscope::sim {
namespace {

struct Subscriber {
    CUpti_CallbackFunc callback;
    void* userdata;
};

std::atomic<const Subscriber*> g_subscriber{nullptr};
std::atomic<bool> g_enabled[CUPTI_CB_DOMAIN_SIZE][kCallbackIdLimit];

bool exists(CUpti_CallbackDomain domain, uint32_t callbackId) {
    return domain > CUPTI_CB_DOMAIN_INVALID && domain < CUPTI_CB_DOMAIN_SIZE && callbackId < kCallbackIdLimit;
}

}  // namespace

bool installSubscriber(CUpti_CallbackFunc callback, void* userdata) {
    const Subscriber* none = nullptr;
    const Subscriber* mine = new Subscriber{callback, userdata};
    if (g_subscriber.compare_exchange_strong(none, mine)) return true;
    delete mine;
    return false;
}

void removeSubscriber() {
    // Not deleted: another thread may be inside its callback.
    g_subscriber = nullptr;
    for (auto& domain : g_enabled) {
        for (auto& enabled : domain)
            enabled = false;
    }
}

bool hasSubscriber() {
    return g_subscriber.load() != nullptr;
}

bool setCallbackEnabled(CUpti_CallbackDomain domain, uint32_t callbackId, bool on) {
    if (!exists(domain, callbackId)) return false;
    g_enabled[domain][callbackId] = on;
    return true;
}

bool isCallbackEnabled(CUpti_CallbackDomain domain, uint32_t callbackId) {
    return exists(domain, callbackId) && g_enabled[domain][callbackId].load(std::memory_order_relaxed);
}

bool raiseCallback(CUpti_CallbackDomain domain, uint32_t callbackId, const void* data) {
    if (!isCallbackEnabled(domain, callbackId)) return false;
    const Subscriber* subscriber = g_subscriber.load();
    if (!subscriber) return false;
    subscriber->callback(subscriber->userdata, domain, callbackId, data);
    return true;
}

void raiseResource(CUpti_CallbackIdResource id, CUcontext context, CUstream stream, void* descriptor) {
    CUpti_ResourceData data{};
    data.context = context;
    data.resourceHandle.stream = stream;
    data.resourceDescriptor = descriptor;
    raiseCallback(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

void raiseSynchronize(CUpti_CallbackIdSync id, CUcontext context, CUstream stream) {
    CUpti_SynchronizeData data{context, stream};
    raiseCallback(CUPTI_CB_DOMAIN_SYNCHRONIZE, id, &data);
}

}  // namespace vramscope::sim
