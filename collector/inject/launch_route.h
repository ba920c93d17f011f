// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/hot_data.h"

namespace vramscope::collector {

// A launch reaches us through our hook (launch_hooks.h) or through CUPTI's callbacks. The hook is cheaper,
// but a program may hold a pointer to the driver's function where we did not look. So CUPTI is asked as well:
// at first, after each arrival of new code, and for a moment every second or two. Launches that come hooked
// are recorded once, by the hook. Once all of a row of launches came hooked, CUPTI's callbacks for launches
// are switched off until the next check. A launch that a check finds to come past the hook, with no new code
// to explain it, means that others may have been missed: that is counted as a loss, and CUPTI stays on for
// good.

/// Makes the route known: CUPTI's callbacks for launches are on, and hooks stand. Before recording starts.
void startLaunchRoute();

/// A context came or goes, whose number in CUPTI is `uid`, 0 if it could not be had. While there is not
/// exactly one, CUPTI stays on: it alone can tell which of them a launch belongs to. From the context's
/// callback.
void noteContext(bool isNew, std::uint32_t uid);

/// New code may have come with pointers of its own. Any thread, from a callback that is not a launch's.
void expectNewCode();

/// A launch came past the hook. From CUPTI's callback at the launch's exit.
void noteUnhookedLaunch();

/// The part of noteHookedLaunch that most launches do not reach.
void checkLaunchRoute(std::uint64_t ticks);

/// A launch came through the hook. Hot path: one comparison, except during a check.
inline void noteHookedLaunch(std::uint64_t ticks) {
    if (ticks >= g_hot.nextRouteCheckTicks.load(std::memory_order_relaxed)) [[unlikely]]
        checkLaunchRoute(ticks);
}

}  // namespace vramscope::collector
