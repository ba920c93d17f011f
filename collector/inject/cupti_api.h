// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cupti.h>

namespace vramscope::collector {

/// The CUPTI calls we use, as function pointers from the library that this process has or gets. Never linked:
/// the job may bring its own copy, and two copies in one process collide.
struct CuptiApi {
    CUptiResult (*subscribe)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*) = nullptr;
    /// Only to learn the name of the subscriber in our way; null in a CUPTI older than 13.0.
    CUptiResult (*subscribeV2)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*, void*) = nullptr;
    CUptiResult (*enableCallback)(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                  CUpti_CallbackId) = nullptr;
    CUptiResult (*getVersion)(std::uint32_t*) = nullptr;
    CUptiResult (*getContextId)(CUcontext, std::uint32_t*) = nullptr;
    CUptiResult (*getDeviceId)(CUcontext, std::uint32_t*) = nullptr;
    CUptiResult (*getResultString)(CUptiResult, const char**) = nullptr;
};

extern CuptiApi g_cupti;

/// Finds libcupti (see cupti_finder.h), opens it and fills g_cupti. `path` receives the file used. On failure
/// writes a sentence to `reason` and returns false. The library is never closed: unloading it crashes some
/// versions (PAPI issue 594).
bool loadCupti(char* path, std::size_t pathBytes, char* reason, std::size_t reasonBytes);

}  // namespace vramscope::collector
