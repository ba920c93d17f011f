// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

TaskBasis basisFromName(std::string_view name) {
    if (name == "mark") return TaskBasis::Mark;
    if (name == "delegated") return TaskBasis::Delegated;
    if (name == "range") return TaskBasis::Range;
    if (name == "thread") return TaskBasis::Thread;
    if (name == "stream") return TaskBasis::Stream;
    if (name == "context") return TaskBasis::Context;
    if (name == "only-active") return TaskBasis::OnlyActive;
    if (name == "process" || name == "job") return TaskBasis::Process;
    return TaskBasis::Unassigned;  // one that is not known yet is not relied on either
}

HandOver handOverFromName(std::string_view name) {
    if (name == "give") return HandOver::Give;
    if (name == "lend-read") return HandOver::LendRead;
    // A kind that is not known yet silences rather than accuses.
    return name == "lend-end" ? HandOver::LendEnd : HandOver::LendWrite;
}

PieceKind pieceFromName(std::string_view name) {
    if (name == "heap") return PieceKind::Heap;
    return name == "block" ? PieceKind::Block : PieceKind::Region;
}

}  // namespace

Status loadOwnership(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(readRows(
        connection, capture.strings, "task_spans",
        "SELECT process_id, thread_id, stream_id, context_id, task_id, basis, precedence, level, "
        "start_ns, end_ns FROM task_spans ORDER BY start_ns, task_span_id",
        [&](RowReader& row) {
            TaskSpan& span = capture.taskSpans.emplace_back();
            std::string_view basis;
            row.read(span.processId, span.threadId, span.streamId, span.contextId, span.taskId, basis);
            row.read(span.precedence, span.level);
            row.readTime(span.startNs);
            row.readTime(span.endNs);
            span.basis = basisFromName(basis);
            constexpr std::int64_t kDeepest = 1'000'000;
            span.precedence = std::clamp<std::int64_t>(span.precedence, 0, kDeepest);
            span.level = std::clamp<std::int64_t>(span.level, 0, kDeepest);
        }));
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "ownership",
                 "SELECT process_id, kind, buffer_id, offset_bytes, size_bytes, to_task_id, by_task_id, "
                 "time_ns, stack_id FROM ownership ORDER BY time_ns, ownership_id",
                 [&](RowReader& row) {
                     OwnershipChange& change = capture.ownershipChanges.emplace_back();
                     std::string_view kind;
                     row.read(change.processId, kind, change.bufferId);
                     row.readBytes(change.offset);
                     row.readBytes(change.sizeBytes);
                     row.read(change.toTaskId, change.byTaskId);
                     row.readTime(change.timeNs);
                     row.read(change.stackId);
                     change.kind = handOverFromName(kind);
                 }));
    return readRows(
        connection, capture.strings, "sub_buffers",
        "SELECT sub_buffer_id, process_id, kind, address, buffer_id, offset_bytes, size_bytes, "
        "name, task_id, start_ns, end_ns, stack_id FROM sub_buffers ORDER BY start_ns, sub_buffer_id",
        [&](RowReader& row) {
            SubBuffer& piece = capture.subBuffers.emplace_back();
            std::string_view kind;
            row.read(piece.id, piece.processId, kind, piece.address, piece.bufferId);
            row.readBytes(piece.offset);
            row.readBytes(piece.sizeBytes);
            row.read(piece.name, piece.taskId);
            row.readTime(piece.startNs);
            row.readTime(piece.endNs);
            row.read(piece.stackId);
            piece.kind = pieceFromName(kind);
        });
}

}  // namespace vramscope::model
