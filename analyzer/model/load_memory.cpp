// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

Status loadPools(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(loadTable(
        connection, capture.strings, capture.pools, "pools",
        "pool_id, process_id, device_id, is_default, release_threshold_bytes, start_ns, create_stack_id,"
        " end_ns",
        [](RowReader& row, Pool& p) {
            row.read(p.id, p.processId, p.deviceId, p.isDefault);
            row.readThreshold(p.releaseThresholdBytes);
            row.readTime(p.startNs);
            row.read(p.createStackId);
            row.readTime(p.endNs);
        }));
    return readRows(connection, capture.strings, "pool_samples",
                    "SELECT time_ns, pool_id, reserved_bytes, used_bytes FROM pool_samples ORDER BY time_ns",
                    [&](RowReader& row) {
                        PoolSample& s = capture.poolSamples.emplace_back();
                        row.readTime(s.timeNs);
                        row.read(s.poolId);
                        row.readBytes(s.reservedBytes);
                        row.readBytes(s.usedBytes);
                    });
}

Status loadHandles(formats::Connection& connection, Capture& capture) {
    return loadTable(connection, capture.strings, capture.vmmHandles, "vmm_handles",
                     "handle_id, process_id, handle, size_bytes, device_id, create_ns, create_stack_id,"
                     " reference_count, mapped_count, end_ns",
                     [](RowReader& row, VmmHandle& h) {
                         row.read(h.id, h.processId, h.handle);
                         row.readBytes(h.sizeBytes);
                         row.read(h.deviceId);
                         row.readTime(h.createNs);
                         row.read(h.createStackId, h.referenceCount, h.mappedCount);
                         row.readTime(h.endNs);
                     });
}

Status loadReservations(formats::Connection& connection, Capture& capture) {
    return loadTable(connection, capture.strings, capture.reservations, "vmm_reservations",
                     "reservation_id, process_id, address, size_bytes, start_ns, stack_id, end_ns",
                     [](RowReader& row, Reservation& r) {
                         row.read(r.id, r.processId, r.address);
                         row.readBytes(r.sizeBytes);
                         row.readTime(r.startNs);
                         row.read(r.stackId);
                         row.readTime(r.endNs);
                     });
}

Status loadObjects(formats::Connection& connection, Capture& capture) {
    return loadTable(
        connection, capture.strings, capture.objects, "objects",
        "object_id, process_id, kind, handle, context_id, create_ns, create_stack_id, destroy_ns,"
        " destroy_stack_id, end_kind",
        [](RowReader& row, Object& o) {
            row.read(o.id, o.processId, o.kind, o.handle, o.contextId);
            row.readTime(o.createNs);
            row.read(o.createStackId);
            row.readTime(o.destroyNs);
            row.read(o.destroyStackId, o.endKind);
            if (o.destroyNs != kNever && o.endKind == EndKind::Live) o.endKind = EndKind::Freed;
        });
}

Status loadSamples(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(readRows(
        connection, capture.strings, "memory_samples",
        "SELECT time_ns, device_id, used_bytes, job_bytes, others_bytes FROM memory_samples ORDER BY time_ns",
        [&](RowReader& row) {
            MemorySample& s = capture.memorySamples.emplace_back();
            row.readTime(s.timeNs);
            row.read(s.deviceId);
            row.readBytes(s.usedBytes);
            row.readBytes(s.jobBytes);
            row.readBytes(s.othersBytes);
        }));
    return readRows(connection, capture.strings, "process_memory_samples",
                    "SELECT time_ns, device_id, process_id, used_bytes FROM process_memory_samples"
                    " ORDER BY time_ns",
                    [&](RowReader& row) {
                        ProcessMemorySample& s = capture.processMemorySamples.emplace_back();
                        row.readTime(s.timeNs);
                        row.read(s.deviceId, s.processId);
                        row.readBytes(s.usedBytes);
                    });
}

}  // namespace

Status loadBuffers(formats::Connection& connection, Capture& capture) {
    return loadTable(connection, capture.strings, capture.buffers, "buffers",
                     "buffer_id, process_id, kind, address, generation, size_bytes, context_id, device_id,"
                     " pool_id, handle_id, stream_id, api, alloc_ns, alloc_thread_id, alloc_stack_id, "
                     "free_ns, free_stack_id,"
                     " free_api, end_kind, task_id",
                     [](RowReader& row, Buffer& b) {
                         row.read(b.id, b.processId, b.kind, b.address, b.generation);
                         row.readBytes(b.sizeBytes);
                         row.read(b.contextId, b.deviceId, b.poolId, b.handleId, b.streamId, b.api);
                         row.readTime(b.allocNs);
                         row.read(b.allocThreadId, b.allocStackId);
                         row.readTime(b.freeNs);
                         row.read(b.freeStackId, b.freeApi, b.endKind, b.taskId);
                         // A row with an end but no word for it was freed: the kinder reading.
                         if (b.freeNs != kNever && b.endKind == EndKind::Live) b.endKind = EndKind::Freed;
                     });
}

Status loadMemory(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(loadPools(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadHandles(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadReservations(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadObjects(connection, capture));
    return loadSamples(connection, capture);
}

}  // namespace vramscope::model
