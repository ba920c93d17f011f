// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

/// Kernels told of one buffer, and buffers whose kernels are looked up: enough to read, little to load.
constexpr int kMostKernels = 5;
constexpr std::size_t kMostLookedUp = 100;

/// A tick is turned into nanoseconds by a clock that is read again and again, so two ways to one moment may
/// differ a little.
constexpr std::int64_t kClockSlackNs = 10'000;

BufferId bufferOf(const Capture& capture, const GuardHit& hit) {
    const Buffer* best = nullptr;
    for (const Buffer& buffer : capture.buffers) {
        if (buffer.processId != hit.processId || buffer.address != hit.address) continue;
        if (buffer.allocNs > hit.allocNs + kClockSlackNs) continue;
        if (best == nullptr || buffer.allocNs > best->allocNs) best = &buffer;
    }
    return best != nullptr ? best->id : BufferId{};
}

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
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "guard_hits",
                 "SELECT guard_hit_id, process_id, address, alloc_ns, since_ns, found_ns,"
                 " first_offset, changed_bytes FROM guard_hits ORDER BY found_ns",
                 [&](RowReader& row) {
                     GuardHit& hit = capture.guardHits.emplace_back();
                     row.read(hit.id, hit.processId, hit.address);
                     row.readTime(hit.allocNs);
                     row.readTime(hit.sinceNs);
                     row.readTime(hit.foundNs);
                     row.readBytes(hit.firstOffset);
                     row.readBytes(hit.changedBytes);
                 }));
    for (std::size_t i = 0; i < capture.guardHits.size(); ++i) {
        GuardHit& hit = capture.guardHits[i];
        hit.bufferId = bufferOf(capture, hit);
        if (i < kMostLookedUp && !hit.bufferId.isNone())
            VRAMSCOPE_RETURN_IF_ERROR(readKernels(connection, capture, hit));
    }
    return Status::ok();
}

}  // namespace vramscope::model
