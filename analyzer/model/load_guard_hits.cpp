// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/named_launch.h"
#include "analyzer/model/row_reader.h"
#include "formats/older_formats.h"

namespace vramscope::model {
namespace {

/// Kernels told of one buffer, and buffers whose kernels are looked up: enough to read, little to load.
constexpr int kMostKernels = 5;
constexpr std::size_t kMostLookedUp = 100;

Status readKernels(formats::Connection& connection, Capture& capture, GuardHit& hit) {
    return readRows(connection, capture.strings, "launches",
                    "SELECT k.name, count(*), min(l.stack_id) FROM launch_arguments a JOIN launches l"
                    " USING (argument_set_id) JOIN kernels k USING (kernel_id) WHERE a.buffer_id = " +
                        std::to_string(hit.bufferId.value) + " AND l.enter_ns BETWEEN " +
                        std::to_string(hit.sinceNs) + " AND " + std::to_string(hit.foundNs) +
                        " GROUP BY k.name ORDER BY min(l.enter_ns) LIMIT " + std::to_string(kMostKernels),
                    [&](RowReader& row) {
                        KernelUse& use = hit.kernels.emplace_back();
                        row.read(use.kernel, use.launches, use.firstStack);
                    });
}

}  // namespace

Status loadGuardHits(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto version, connection.queryInt("PRAGMA main.user_version"));
    const bool hasLaunches = !formats::isColumnNewerThan("guard_hits", "launch_ns", version.value_or(0));
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "guard_hits",
                 "SELECT guard_hit_id, process_id, address, alloc_ns, since_ns, found_ns,"
                 " first_offset, changed_bytes" +
                     std::string(hasLaunches ? ", launch_ns, launch_thread_id" : ", NULL, NULL") +
                     " FROM guard_hits ORDER BY found_ns",
                 [&](RowReader& row) {
                     GuardHit& hit = capture.guardHits.emplace_back();
                     row.read(hit.id, hit.processId, hit.address);
                     row.readTime(hit.allocNs);
                     row.readTime(hit.sinceNs);
                     row.readTime(hit.foundNs);
                     row.readBytes(hit.firstOffset);
                     row.readBytes(hit.changedBytes);
                     row.readTime(hit.launchNs);
                     row.read(hit.launchThreadId);
                 }));
    for (std::size_t i = 0; i < capture.guardHits.size(); ++i) {
        GuardHit& hit = capture.guardHits[i];
        hit.bufferId = bufferBornAt(capture, hit.processId, hit.address, hit.allocNs);
        if (i < kMostLookedUp && hit.launchNs != kNever) {
            VRAMSCOPE_ASSIGN_OR_RETURN(
                const WatchedLaunch launch,
                launchAt(connection, capture, hit.processId, hit.launchThreadId, hit.launchNs));
            hit.launchedKernel = launch.kernel;
        }
        if (i < kMostLookedUp && !hit.bufferId.isNone())
            VRAMSCOPE_RETURN_IF_ERROR(readKernels(connection, capture, hit));
    }
    return Status::ok();
}

}  // namespace vramscope::model
