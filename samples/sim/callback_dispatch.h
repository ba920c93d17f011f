// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "samples/sim/cuda_abi.h"

namespace vramscope::sim {

/// The one subscriber of this process and which callbacks it wants. Callbacks run on the calling thread,
/// without any lock of the driver, and may call the driver again. All functions are thread-safe.
bool installSubscriber(CUpti_CallbackFunc callback, void* userdata);
void removeSubscriber();
bool hasSubscriber();
bool setCallbackEnabled(CUpti_CallbackDomain domain, uint32_t callbackId, bool on);
bool isCallbackEnabled(CUpti_CallbackDomain domain, uint32_t callbackId);

/// Raises a callback if the subscriber wants it; returns whether it was raised.
bool raiseCallback(CUpti_CallbackDomain domain, uint32_t callbackId, const void* data);

/// Raises a RESOURCE callback; `descriptor` as CUpti_ResourceData says for the id. Must be called without the
/// driver's lock.
void raiseResource(CUpti_CallbackIdResource id, CUcontext context, CUstream stream,
                   void* descriptor = nullptr);
/// Raises a SYNCHRONIZE callback. Must be called without the driver's lock.
void raiseSynchronize(CUpti_CallbackIdSync id, CUcontext context, CUstream stream);

}  // namespace vramscope::sim
