// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "collector/inject/config.h"
#include "collector/inject/hot_data.h"
#include "formats/arena.h"

namespace vramscope::collector {

/// What the hot path asks first. Lives on a page of its own that fork() wipes, so a forked child reads "not
/// recording" even if it was made by a bare clone(2) that runs no fork handler.
struct ControlPage {
    /// 0 while nothing is recorded. Else a number that changes when recording starts anew in a forked child:
    /// thread states of another epoch are stale.
    std::atomic<std::uint32_t> epoch;
};

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
    return g_hot.control != nullptr && g_hot.control->epoch.load(std::memory_order_relaxed) != 0;
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
