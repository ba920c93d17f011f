// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/guard_hits.h"

#include <optional>

#include "collector/recorder/or_null.h"
#include "collector/recorder/work_call.h"

namespace vramscope::collector {

void addGuardHit(ProcessScope& scope, const IdentityTables& identities, const ResolvedCall& call) {
    const formats::GuardHitPayload& hit = call.record.guardHit;
    CaptureSink& sink = scope.sink;
    std::optional<std::int64_t> launchNs;
    std::optional<std::int64_t> launchThread;
    if (const formats::WorkCall* launch = workCallOf(call)) {
        launchNs = sink.sessionTime(launch->enterTicks);
        launchThread = orNull(identities.threadOf(static_cast<std::uint32_t>(launch->tid)));
    }
    sink.run(
        "INSERT INTO guard_hits(guard_hit_id, process_id, address, alloc_ns, since_ns, found_ns, "
        "first_offset, changed_bytes, launch_ns, launch_thread_id) VALUES(?,?,?,?,?,?,?,?,?,?)",
        sink.nextId("guard_hits"), scope.processId, static_cast<std::int64_t>(hit.address),
        sink.sessionTime(hit.allocTicks), sink.sessionTime(hit.sinceTicks),
        sink.sessionTime(call.header().exitTicks), static_cast<std::int64_t>(hit.firstOffset),
        static_cast<std::int64_t>(hit.changedBytes), launchNs, launchThread);
}

}  // namespace vramscope::collector
