// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "samples/sim/context.h"
#include "samples/sim/device_file.h"
#include "samples/sim/graph.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {

/// An event. Never deleted, so that a stale handle is recognised; guarded by the driver's lock.
struct Event {
    Context* context;
    unsigned int flags;
    bool alive;
    MarkPointer recorded;              ///< null before the first record
    Graph* capture = nullptr;          ///< the graph in whose capture it was last recorded
    std::vector<GraphNode*> captured;  ///< and what it stands for there
    SharedEvent* shared = nullptr;     ///< of an interprocess event
    uint64_t serial = 0;               ///< the use of `shared` that is meant
    bool imported = false;             ///< made by another process
};

inline CUevent handleOf(Event* event) {
    return reinterpret_cast<CUevent>(event);
}

/// Null for a handle that is none or destroyed.
Event* findEvent(CUevent handle);
/// True when all records of an interprocess event up to number `count` are done, or its process is gone.
bool isSharedDone(const SharedEvent& shared, uint64_t serial, uint64_t count);
/// The error for a handle that findEvent() does not know: destroyed, or never an event.
CUresult badEvent(CUevent handle);
Event* newEvent(Context& context, unsigned int flags);

}  // namespace vramscope::sim
