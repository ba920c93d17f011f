// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "collector/inject/config.h"
#include "formats/arena.h"

namespace vramscope::collector {

/// Creates this process's arena file in the session directory (or the fallback directory when the first has
/// too little room), allocates all of it on disk so that a later store cannot fault, maps it shared, lays out
/// lanes, stack nodes and segments, and leaves its state at Preparing. Returns nullptr after writing into
/// `reason`, which may be null, why it cannot. Not thread-safe.
formats::ArenaHeader* createArena(const Config& config, char* reason = nullptr, std::size_t reasonBytes = 0);

/// Gives the file its final name, by which the recorder finds it. The arena must be complete but for its
/// state.
bool publishArena(const Config& config, const formats::ArenaHeader& header);

}  // namespace vramscope::collector
