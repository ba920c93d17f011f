// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/lane_writer.h"
#include "collector/inject/mark_ring.h"
#include "collector/inject/open_calls.h"

namespace vramscope::collector {

/// Tells that the launch `number` is made by `call`, and that its accesses follow. `kernel` names it where
/// the call does not (a node of a graph), else null; `pc` is where its code begins, 0 when that is not known.
void tellExactLaunch(ThreadState& thread, const OpenCall& call, std::uint64_t number, const char* kernel,
                     std::uint64_t pc);

/// Tells what a launch read and wrote. False when the ring had no room for all of it (counted).
bool tellExactAccesses(ThreadState& thread, const LaunchMarks& launch);

}  // namespace vramscope::collector
