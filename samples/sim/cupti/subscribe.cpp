// SPDX-License-Identifier: Apache-2.0
// The callback API: one subscriber, and which callbacks it wants.
#include <cstdio>
#include <mutex>
#include <string>

#include "samples/sim/cuda_abi.h"
#include "samples/sim/cupti/callback_names.h"
#include "samples/sim/cupti/driver_link.h"

struct CUpti_Subscriber_st {
    std::string name;
};

namespace vramscope::sim {
namespace {

std::mutex g_lock;
CUpti_Subscriber_st g_subscriberStorage;
CUpti_SubscriberHandle g_subscriber = nullptr;

CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* userdata,
                      const CUpti_SubscriberParams* parameters) {
    if (!handle || !callback) return CUPTI_ERROR_INVALID_PARAMETER;
    const DriverTable* driver = driverTable();
    if (!driver) return CUPTI_ERROR_NOT_INITIALIZED;
    std::lock_guard guard(g_lock);
    if (g_subscriber || !driver->subscribe(callback, userdata)) {
        if (parameters && parameters->oldSubscriberName && parameters->oldSubscriberSize) {
            std::snprintf(parameters->oldSubscriberName, parameters->oldSubscriberSize, "%s",
                          g_subscriberStorage.name.c_str());
        }
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    g_subscriberStorage.name =
        parameters && parameters->subscriberName ? parameters->subscriberName : "CUPTI_V1_SUBSCRIBER";
    g_subscriber = &g_subscriberStorage;
    *handle = g_subscriber;
    return CUPTI_SUCCESS;
}

CUptiResult check(CUpti_SubscriberHandle handle) {
    std::lock_guard guard(g_lock);
    return handle && handle == g_subscriber ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

void enableAll(uint32_t enable, CUpti_CallbackDomain domain) {
    for (uint32_t id = 1; id < callbackCount(domain); ++id)
        driverTable()->enableCallback(domain, id, enable != 0);
}

bool isDomain(CUpti_CallbackDomain domain) {
    return domain > CUPTI_CB_DOMAIN_INVALID && domain < CUPTI_CB_DOMAIN_SIZE;
}

}  // namespace
}  // namespace vramscope::sim

#pragma GCC visibility push(default)
using namespace vramscope::sim;  // NOLINT: the C functions below are this file's exports

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                                    void* userdata) {
    return subscribe(handle, callback, userdata, nullptr);
}

CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                                       void* userdata, CUpti_SubscriberParams* parameters) {
    if (!parameters) return CUPTI_ERROR_INVALID_PARAMETER;
    return subscribe(handle, callback, userdata, parameters);
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle handle) {
    if (const CUptiResult result = check(handle); result != CUPTI_SUCCESS) return result;
    std::lock_guard guard(g_lock);
    driverTable()->unsubscribe();
    g_subscriber = nullptr;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle,
                                         CUpti_CallbackDomain domain, CUpti_CallbackId callbackId) {
    if (const CUptiResult result = check(handle); result != CUPTI_SUCCESS) return result;
    if (!isDomain(domain) || callbackId >= callbackCount(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
    driverTable()->enableCallback(domain, callbackId, enable != 0);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle handle,
                                       CUpti_CallbackDomain domain) {
    if (const CUptiResult result = check(handle); result != CUPTI_SUCCESS) return result;
    if (!isDomain(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
    enableAll(enable, domain);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle handle) {
    if (const CUptiResult result = check(handle); result != CUPTI_SUCCESS) return result;
    for (int domain = 1; domain < CUPTI_CB_DOMAIN_SIZE; ++domain) {
        enableAll(enable, static_cast<CUpti_CallbackDomain>(domain));
    }
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetCallbackState(uint32_t* enable, CUpti_SubscriberHandle handle,
                                           CUpti_CallbackDomain domain, CUpti_CallbackId callbackId) {
    if (!enable) return CUPTI_ERROR_INVALID_PARAMETER;
    if (const CUptiResult result = check(handle); result != CUPTI_SUCCESS) return result;
    *enable = driverTable()->callbackEnabled(domain, callbackId);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiSupportedDomains(size_t* count, CUpti_DomainTable* table) {
    static CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RESOURCE,
                                             CUPTI_CB_DOMAIN_SYNCHRONIZE};
    if (!count || !table) return CUPTI_ERROR_INVALID_PARAMETER;
    *count = sizeof domains / sizeof *domains;
    *table = domains;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t callbackId,
                                          const char** name) {
    if (!name) return CUPTI_ERROR_INVALID_PARAMETER;
    *name = callbackName(domain, callbackId);
    return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult CUPTIAPI cuptiFinalize(void) {
    std::lock_guard guard(g_lock);
    if (g_subscriber) driverTable()->unsubscribe();
    g_subscriber = nullptr;
    return CUPTI_SUCCESS;
}
#pragma GCC visibility pop
