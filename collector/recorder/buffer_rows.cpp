// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/buffer_rows.h"

#include <optional>
#include <string>

#include "collector/recorder/capture_sink.h"
#include "collector/recorder/or_null.h"

namespace vramscope::collector {

namespace {

// Rows of one statement. A row by itself costs 2.2 microseconds, one of eight 1.6; more bring no more.
constexpr std::size_t kAtOnce = 8;
constexpr int kColumns = 25;

std::string insertSql(std::size_t rows) {
    std::string sql =
        "INSERT INTO buffers(buffer_id, process_id, kind, address, generation, size_bytes, context_id, "
        "device_id, "
        "pool_id, handle_id, stream_id, flags, api, alloc_enter_ns, alloc_ns, alloc_thread_id, "
        "alloc_stack_id, free_ns, "
        "free_exit_ns, free_thread_id, free_stack_id, free_stream_id, free_api, end_kind, task_id) VALUES";
    std::string one = "(?";
    for (int column = 1; column < kColumns; ++column)
        one += ",?";
    for (std::size_t row = 0; row < rows; ++row)
        sql += (row == 0 ? "" : ",") + one + ")";
    return sql;
}

void bind(formats::Statement& statement, int first, const BufferRow& row, const CaptureSink& sink) {
    const auto freed = [&row, &sink](std::uint64_t ticks) {
        return row.isLive() ? std::nullopt : std::optional(sink.sessionTime(ticks));
    };
    statement.bindBorrowed(
        first, row.bufferId, row.processId, bufferKindName(row.kind), row.address, row.generation,
        row.sizeBytes, orNull(row.contextId), orNull(row.deviceId), orNull(row.poolId), orNull(row.handleId),
        orNull(row.streamId), row.flags, row.api, sink.sessionTime(row.allocEnterTicks),
        sink.sessionTime(row.allocTicks), orNull(row.allocThreadId), orNull(row.allocStackId),
        freed(row.freeTicks), freed(row.freeExitTicks), orNull(row.freeThreadId), orNull(row.freeStackId),
        orNull(row.freeStreamId), orNull(row.freeApi), orNull(row.endKind), orNull(row.taskId));
}

}  // namespace

void BufferRows::insert(std::span<const BufferPtr> rows, const char* sql) {
    formats::Statement* statement = m_sink.prepared(sql);
    if (statement == nullptr) return;
    int first = 1;
    for (const BufferPtr& row : rows) {
        bind(*statement, first, *row, m_sink);
        first += kColumns;
    }
    m_sink.note(statement->runBorrowed());
}

void BufferRows::update(const BufferRow& row) {
    const auto freed = [this, &row](std::uint64_t ticks) {
        return row.isLive() ? std::nullopt : std::optional(m_sink.sessionTime(ticks));
    };
    m_sink.run(
        "UPDATE buffers SET free_ns=?, free_exit_ns=?, free_thread_id=?, free_stack_id=?, free_stream_id=?, "
        "free_api=?, end_kind=? WHERE buffer_id=?",
        freed(row.freeTicks), freed(row.freeExitTicks), orNull(row.freeThreadId), orNull(row.freeStackId),
        orNull(row.freeStreamId), orNull(row.freeApi), orNull(row.endKind), row.bufferId);
}

void BufferRows::write() {
    static const std::string kInsertSome = insertSql(kAtOnce);
    static const std::string kInsertOne = insertSql(1);
    std::span<const BufferPtr> rows(m_new);
    for (; rows.size() >= kAtOnce; rows = rows.subspan(kAtOnce))
        insert(rows.first(kAtOnce), kInsertSome.c_str());
    for (; !rows.empty(); rows = rows.subspan(1))
        insert(rows.first(1), kInsertOne.c_str());
    for (const BufferPtr& buffer : m_changed)
        update(*buffer);
    for (std::vector<BufferPtr>* marked : {&m_new, &m_changed}) {
        for (const BufferPtr& buffer : *marked) {
            buffer->isInserted = true;
            buffer->isDirty = false;
        }
        marked->clear();
    }
}

}  // namespace vramscope::collector
