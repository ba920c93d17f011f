// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include "collector/inject/lane_writer.h"

namespace vramscope::collector {

/// Enables the runtime's free and destroy calls. The driver's callbacks tell everything but one thing: a free
/// that the runtime refuses by itself (cudaFreeHost in a host function returns 800 and makes no driver call).
void enableRuntimeCalls(CUpti_SubscriberHandle subscriber);

/// Handles one callback of the runtime domain: records a call that failed without reaching the driver.
void onRuntimeCall(ThreadState& thread, CUpti_CallbackId id, const CUpti_CallbackData& data);

}  // namespace vramscope::collector
