// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/capture_sink.h"

#include <optional>
#include <utility>

namespace vramscope::collector {

namespace {

// An id or a time that may be missing: 0 means none.
std::optional<std::int64_t> orNull(std::int64_t id) {
    return id != 0 ? std::optional(id) : std::nullopt;
}
std::optional<std::string_view> orNull(std::string_view text) {
    return !text.empty() ? std::optional(text) : std::nullopt;
}

// Argument sets repeat from step to step; a job that never repeats one must not grow the recorder without
// end.
constexpr std::size_t kMaxKnownArgumentSets = 1'000'000;

}  // namespace

StatusOr<std::unique_ptr<CaptureSink>> CaptureSink::open(formats::Connection& connection,
                                                         const TickClock& clock,
                                                         std::uint64_t sessionStartNs) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::ChunkRowWriter rows, formats::ChunkRowWriter::make(connection));
    std::unique_ptr<CaptureSink> sink(new CaptureSink(connection, clock, std::move(rows), sessionStartNs));
    VRAMSCOPE_RETURN_IF_ERROR(connection.exec("BEGIN IMMEDIATE"));
    return sink;
}

CaptureSink::CaptureSink(formats::Connection& connection, const TickClock& clock,
                         formats::ChunkRowWriter rows, std::uint64_t sessionStartNs)
    : m_connection(connection),
      m_clock(clock),
      m_sessionStartNs(sessionStartNs),
      m_chunkRows(std::move(rows)),
      m_launches(m_encoder, m_chunkRows),
      m_copies(m_encoder, m_chunkRows),
      m_sets(m_encoder, m_chunkRows),
      m_syncs(m_encoder, m_chunkRows) {}

formats::Statement* CaptureSink::prepared(const char* sql) {
    if (!m_status.isOk()) return nullptr;
    const auto found = m_statements.find(sql);
    if (found != m_statements.end()) return &found->second;
    StatusOr<formats::Statement> made = m_connection.prepare(sql);
    if (!made.isOk()) {
        note(made.status());
        return nullptr;
    }
    return &m_statements.emplace(sql, std::move(made.value())).first->second;
}

std::int64_t CaptureSink::nextId(const char* table) {
    auto [found, isNew] = m_nextIds.try_emplace(table, 1);
    if (isNew) {
        // A recovered capture has rows already; every table's rowid is its id.
        StatusOr<std::optional<std::int64_t>> highest =
            m_connection.queryInt("SELECT max(rowid) FROM " + std::string(table));
        if (highest.isOk()) found->second = highest.value().value_or(0) + 1;
        note(highest.status());
    }
    return found->second++;
}

void CaptureSink::markBuffer(const BufferPtr& buffer) {
    if (buffer->isDirty) return;
    buffer->isDirty = true;
    m_dirtyBuffers.push_back(buffer);
}

std::int64_t CaptureSink::argumentSet(const std::vector<std::byte>& packed) {
    if (packed.empty()) return 0;
    std::string key(reinterpret_cast<const char*>(packed.data()), packed.size());
    const auto found = m_argumentSets.find(key);
    if (found != m_argumentSets.end()) return found->second;
    const std::int64_t id = nextId("argument_sets");
    run("INSERT INTO argument_sets(argument_set_id, arguments) VALUES(?, ?)", id,
        std::span<const std::byte>(packed));
    if (m_argumentSets.size() >= kMaxKnownArgumentSets) m_argumentSets.clear();
    m_argumentSets.emplace(std::move(key), id);
    return id;
}

void CaptureSink::addNote(std::uint64_t timeTicks, std::int64_t processId, const char* severity,
                          const char* code, const std::string& message) {
    run("INSERT INTO notes(time_ns, process_id, severity, code, message) VALUES(?, ?, ?, ?, ?)",
        sessionTime(timeTicks), orNull(processId), severity, code, message);
}

void CaptureSink::insertBuffer(const BufferRow& row) {
    run("INSERT INTO buffers(buffer_id, process_id, kind, address, generation, size_bytes, context_id, "
        "device_id, pool_id, "
        "handle_id, stream_id, flags, api, alloc_enter_ns, alloc_ns, alloc_thread_id, alloc_stack_id, "
        "free_ns, free_exit_ns, "
        "free_thread_id, free_stack_id, free_stream_id, free_api, end_kind, task_id) "
        "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        row.bufferId, row.processId, bufferKindName(row.kind), row.address, row.generation, row.sizeBytes,
        orNull(row.contextId), orNull(row.deviceId), orNull(row.poolId), orNull(row.handleId),
        orNull(row.streamId), row.flags, row.api, sessionTime(row.allocEnterTicks),
        sessionTime(row.allocTicks), orNull(row.allocThreadId), orNull(row.allocStackId),
        row.isLive() ? std::nullopt : std::optional(sessionTime(row.freeTicks)),
        row.isLive() ? std::nullopt : std::optional(sessionTime(row.freeExitTicks)), orNull(row.freeThreadId),
        orNull(row.freeStackId), orNull(row.freeStreamId), orNull(row.freeApi), orNull(row.endKind),
        orNull(row.taskId));
}

void CaptureSink::updateBuffer(const BufferRow& row) {
    run("UPDATE buffers SET free_ns=?, free_exit_ns=?, free_thread_id=?, free_stack_id=?, free_stream_id=?, "
        "free_api=?, "
        "end_kind=? WHERE buffer_id=?",
        row.isLive() ? std::nullopt : std::optional(sessionTime(row.freeTicks)),
        row.isLive() ? std::nullopt : std::optional(sessionTime(row.freeExitTicks)), orNull(row.freeThreadId),
        orNull(row.freeStackId), orNull(row.freeStreamId), orNull(row.freeApi), orNull(row.endKind),
        row.bufferId);
}

void CaptureSink::writeBuffers() {
    for (const BufferPtr& buffer : m_dirtyBuffers) {
        if (buffer->isInserted) {
            updateBuffer(*buffer);
        } else {
            insertBuffer(*buffer);
        }
        buffer->isInserted = true;
        buffer->isDirty = false;
    }
    m_dirtyBuffers.clear();
}

Status CaptureSink::commit() {
    writeBuffers();
    if (m_status.isOk()) note(m_launches.flush());
    if (m_status.isOk()) note(m_copies.flush());
    if (m_status.isOk()) note(m_sets.flush());
    if (m_status.isOk()) note(m_syncs.flush());
    if (m_status.isOk()) note(m_connection.exec("COMMIT"));
    if (m_status.isOk()) note(m_connection.exec("BEGIN IMMEDIATE"));
    return m_status;
}

}  // namespace vramscope::collector
