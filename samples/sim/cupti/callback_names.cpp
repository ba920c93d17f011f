// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/cupti/callback_names.h"

namespace vramscope::sim {
namespace {

// Generated at build time from the toolkit's cupti_driver_cbid.h, in the order of the ids.
constexpr const char* kDriverNames[] = {
#include "driver_callback_names.inc"
};

}  // namespace

uint32_t callbackCount(CUpti_CallbackDomain domain) {
    switch (domain) {
        case CUPTI_CB_DOMAIN_DRIVER_API:
            return CUPTI_DRIVER_TRACE_CBID_SIZE;
        case CUPTI_CB_DOMAIN_RUNTIME_API:
            return CUPTI_RUNTIME_TRACE_CBID_SIZE;
        case CUPTI_CB_DOMAIN_RESOURCE:
            return CUPTI_CBID_RESOURCE_SIZE;
        case CUPTI_CB_DOMAIN_SYNCHRONIZE:
            return CUPTI_CBID_SYNCHRONIZE_SIZE;
        case CUPTI_CB_DOMAIN_NVTX:
            return CUPTI_CBID_NVTX_SIZE;
        case CUPTI_CB_DOMAIN_STATE:
            return CUPTI_CBID_STATE_SIZE;
        default:
            return 0;
    }
}

const char* callbackName(CUpti_CallbackDomain domain, uint32_t callbackId) {
    static_assert(sizeof kDriverNames / sizeof *kDriverNames == CUPTI_DRIVER_TRACE_CBID_SIZE);
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || callbackId == 0) return nullptr;
    return callbackId < CUPTI_DRIVER_TRACE_CBID_SIZE ? kDriverNames[callbackId] : nullptr;
}

}  // namespace vramscope::sim
