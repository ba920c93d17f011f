// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/lane_writer.h"

namespace vramscope::collector {

/// Tells the recorder, once a device, which physical device the process's ordinal means: UUID, name and
/// memory as the driver gives them. Ordinals differ between processes (CUDA_VISIBLE_DEVICES), UUIDs do not.
void announceDevice(ThreadState& thread, std::int32_t ordinal);

}  // namespace vramscope::collector
