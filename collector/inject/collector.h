// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "collector/inject/config.h"
#include "collector/inject/hot_data.h"
#include "formats/arena.h"

namespace vramscope::collector {

/// The collector of this process. One static instance, never destroyed: callbacks may come after static
/// destructors.
struct Collector {
    formats::ArenaHeader* arena = nullptr;
    Config config{};
    std::uint64_t attachNs = 0;
};

extern Collector g_collector;

/// True while events are to be recorded. One load; safe anywhere, in forked children too.
inline bool isRecording() {
    return g_hot.epoch.load(std::memory_order_relaxed) != 0;
}

/// Starts recording: settings, arena, CUPTI subscription. Does nothing without a session. Trouble is told to
/// the user once; the job then runs on unrecorded, or ends with status 125 when its user asked for that
/// (--require).
void startCollector();

/// Stops recording for good in this process and says why, once, in the arena and to the user. Any thread, any
/// time.
void turnOff(const char* reason);

/// Counts `lost` events as lost for `reason`.
void countDrop(formats::DropReason reason, std::uint64_t lost = 1);

}  // namespace vramscope::collector
