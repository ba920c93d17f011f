// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/guard_hits.h"

namespace vramscope::collector {

void addGuardHit(ProcessScope& scope, const ResolvedCall& call) {
    const formats::GuardHitPayload& hit = call.record.guardHit;
    CaptureSink& sink = scope.sink;
    sink.run(
        "INSERT INTO guard_hits(guard_hit_id, process_id, address, alloc_ns, since_ns, found_ns, "
        "first_offset, "
        "changed_bytes) VALUES(?,?,?,?,?,?,?,?)",
        sink.nextId("guard_hits"), scope.processId, static_cast<std::int64_t>(hit.address),
        sink.sessionTime(hit.allocTicks), sink.sessionTime(hit.sinceTicks),
        sink.sessionTime(call.header().exitTicks), static_cast<std::int64_t>(hit.firstOffset),
        static_cast<std::int64_t>(hit.changedBytes));
}

}  // namespace vramscope::collector
