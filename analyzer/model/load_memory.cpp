// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

Status loadBuffers(formats::Connection& connection, Capture& capture) {
    std::vector<Buffer> rows;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(
        connection, capture.strings, "buffers",
        "SELECT buffer_id, process_id, kind, address, generation, size_bytes, context_id, device_id,"
        " pool_id, handle_id, api, alloc_ns, alloc_thread_id, alloc_stack_id, free_ns, free_stack_id,"
        " free_api, end_kind, task_id FROM buffers",
        [&](RowReader& row) {
            Buffer& b = rows.emplace_back();
            row.read(b.id);
            row.read(b.processId);
            row.read(b.kind);
            row.read(b.address);
            row.read(b.generation);
            row.readBytes(b.sizeBytes);
            row.read(b.contextId);
            row.read(b.deviceId);
            row.read(b.poolId);
            row.read(b.handleId);
            row.read(b.api);
            row.readTime(b.allocNs);
            row.read(b.allocThreadId);
            row.read(b.allocStackId);
            row.readTime(b.freeNs);
            row.read(b.freeStackId);
            row.read(b.freeApi);
            row.read(b.endKind);
            row.read(b.taskId);
            // A row with an end but no word for it was freed: the kinder reading.
            if (b.freeNs != kNever && b.endKind == EndKind::Live) b.endKind = EndKind::Freed;
        }));
    capture.buffers = Table<Buffer, BufferId>(std::move(rows));
    return Status::ok();
}

Status loadPools(formats::Connection& connection, Capture& capture) {
    std::vector<Pool> rows;
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "pools",
                 "SELECT pool_id, process_id, device_id, is_default,"
                 " release_threshold_bytes, start_ns, create_stack_id, end_ns FROM pools",
                 [&](RowReader& row) {
                     Pool& p = rows.emplace_back();
                     row.read(p.id);
                     row.read(p.processId);
                     row.read(p.deviceId);
                     row.read(p.isDefault);
                     row.readThreshold(p.releaseThresholdBytes);
                     row.readTime(p.startNs);
                     row.read(p.createStackId);
                     row.readTime(p.endNs);
                 }));
    capture.pools = Table<Pool, PoolId>(std::move(rows));
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
    std::vector<VmmHandle> rows;
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "vmm_handles",
                 "SELECT handle_id, process_id, handle, size_bytes, device_id, create_ns, create_stack_id,"
                 " reference_count, mapped_count, end_ns FROM vmm_handles",
                 [&](RowReader& row) {
                     VmmHandle& h = rows.emplace_back();
                     row.read(h.id);
                     row.read(h.processId);
                     row.read(h.handle);
                     row.readBytes(h.sizeBytes);
                     row.read(h.deviceId);
                     row.readTime(h.createNs);
                     row.read(h.createStackId);
                     row.read(h.referenceCount);
                     row.read(h.mappedCount);
                     row.readTime(h.endNs);
                 }));
    capture.vmmHandles = Table<VmmHandle, HandleId>(std::move(rows));
    return Status::ok();
}

Status loadObjects(formats::Connection& connection, Capture& capture) {
    std::vector<Object> rows;
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "objects",
                 "SELECT object_id, process_id, kind, handle, context_id, create_ns, create_stack_id,"
                 " destroy_ns, destroy_stack_id, end_kind FROM objects",
                 [&](RowReader& row) {
                     Object& o = rows.emplace_back();
                     row.read(o.id);
                     row.read(o.processId);
                     row.read(o.kind);
                     row.read(o.handle);
                     row.read(o.contextId);
                     row.readTime(o.createNs);
                     row.read(o.createStackId);
                     row.readTime(o.destroyNs);
                     row.read(o.destroyStackId);
                     row.read(o.endKind);
                     if (o.destroyNs != kNever && o.endKind == EndKind::Live) o.endKind = EndKind::Freed;
                 }));
    capture.objects = Table<Object, ObjectId>(std::move(rows));
    return Status::ok();
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
                        row.read(s.deviceId);
                        row.read(s.processId);
                        row.readBytes(s.usedBytes);
                    });
}

}  // namespace

Status loadMemory(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(loadBuffers(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadPools(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadHandles(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadObjects(connection, capture));
    return loadSamples(connection, capture);
}

}  // namespace vramscope::model
