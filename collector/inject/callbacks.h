// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "formats/arena.h"

namespace vramscope::collector {

/// Finds CUPTI, subscribes and enables the callbacks that the settings ask for. Fills in the engine's version
/// and path in the arena. On failure writes a sentence to `reason` and returns false. Callbacks may come from
/// other threads before it returns; they are ignored until isRecording().
bool subscribeToCupti(formats::ArenaHeader& arena, char* reason, std::size_t reasonBytes);

}  // namespace vramscope::collector
