// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/sim/context.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {

/// An event. Never deleted, so that a stale handle is recognised; guarded by the driver's lock.
struct Event {
    Context* context;
    unsigned int flags;
    bool alive;
    MarkPointer recorded;  ///< null before the first record
};

inline CUevent handleOf(Event* event) { return reinterpret_cast<CUevent>(event); }

/// Null for a handle that is none or destroyed.
Event* findEvent(CUevent handle);
Event* newEvent(Context& context, unsigned int flags);

}  // namespace vramscope::sim
