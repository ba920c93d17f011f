// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "collector/inject/call_table.h"
#include "formats/arena.h"

namespace vramscope::collector {

/// Finds the library of the engine that the settings name, subscribes and enables the callbacks that the
/// settings ask for. Fills in the engine's version and path in the arena. On failure writes a sentence to
/// `reason` and returns false. Callbacks may come from other threads before it returns; they are ignored
/// until isRecording().
bool subscribeToEngine(formats::ArenaHeader& arena, char* reason, std::size_t reasonBytes);

/// Switches the callbacks of the launches that launch_hooks.h hooks. One thread at a time, as CUPTI asks
/// (cuptiEnableCallback in its documentation); from a callback or outside.
void enableLaunchCallbacks(bool on);

/// Records a driver call from what its exit callback brings, on the general path.
void recordDriverExit(CUpti_CallbackId id, const CallRule& rule, const CUpti_CallbackData& data);

}  // namespace vramscope::collector
