// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace vramscope::sim {

/// Starts the driver's own thread if it does not run yet. It calls host functions, and when the program has
/// made no call for a while it moves waiting work on, as a device would. Called with the driver's lock.
void startHostThread();
/// Runs `function` on that thread without the driver's lock and calls `done` with it. Called with the lock,
/// which is dropped until the function has returned, or for a short time if it takes long.
void runOnHostThread(std::function<void()> function, std::function<void()> done);
/// Waits, with the driver's lock dropped, until something may have changed: at most a millisecond.
void waitForChange();
/// Wakes all that wait in waitForChange().
void announceChange();
/// Tells that the program is active, so that the thread leaves the work to it.
void noteActivity();

}  // namespace vramscope::sim
