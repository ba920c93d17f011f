// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cupti.h>

#include "formats/arena.h"

namespace vramscope::collector {

/// The exact engine in CUPTI's place: subscribes to the Compute Sanitizer API and fills g_cupti with
/// functions that work through it, so that `callback` gets what CUPTI would bring. Driver and runtime calls
/// come with the same ids and parameters; contexts and modules are numbered here. Captured graph nodes are
/// not told. Since the two libraries exclude each other in a process, nothing of CUPTI is called. On failure
/// writes a sentence to `reason` and returns false.
bool subscribeToSanitizer(formats::ArenaHeader& arena, CUpti_CallbackFunc callback, char* reason,
                          std::size_t reasonBytes);

}  // namespace vramscope::collector
