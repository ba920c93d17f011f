// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include "collector/inject/lane_writer.h"

namespace vramscope::collector {

/// Handles one callback of CUPTI's resource domain: contexts that come and go, modules loaded and unloaded.
void onResource(ThreadState& thread, CUpti_CallbackId id, const CUpti_ResourceData& data);

}  // namespace vramscope::collector
