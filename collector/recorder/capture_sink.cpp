// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/capture_sink.h"

#include <optional>
#include <utility>

#include "collector/recorder/or_null.h"

namespace vramscope::collector {

StatusOr<std::unique_ptr<CaptureSink>> CaptureSink::open(formats::Connection& connection,
                                                         const TickClock& clock,
                                                         std::uint64_t sessionStartNs) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::ChunkRowWriter rows, formats::ChunkRowWriter::make(connection));
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::ArgumentWriter arguments, formats::ArgumentWriter::make(connection));
    std::unique_ptr<CaptureSink> sink(
        new CaptureSink(connection, clock, std::move(rows), std::move(arguments), sessionStartNs));
    VRAMSCOPE_RETURN_IF_ERROR(connection.exec("BEGIN IMMEDIATE"));
    return sink;
}

CaptureSink::CaptureSink(formats::Connection& connection, const TickClock& clock,
                         formats::ChunkRowWriter rows, formats::ArgumentWriter arguments,
                         std::uint64_t sessionStartNs)
    : m_connection(connection),
      m_clock(clock),
      m_sessionStartNs(sessionStartNs),
      m_buffers(*this),
      m_tasks(*this),
      m_chunkRows(std::move(rows)),
      m_launches(std::move(arguments), m_encoder, m_chunkRows),
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

void CaptureSink::addNote(std::uint64_t timeTicks, std::int64_t processId, const char* severity,
                          const char* code, const std::string& message) {
    run("INSERT INTO notes(time_ns, process_id, severity, code, message) VALUES(?, ?, ?, ?, ?)",
        sessionTime(timeTicks), orNull(processId), severity, code, message);
}

Status CaptureSink::commit() {
    m_buffers.write();
    if (m_status.isOk()) note(m_launches.flush());
    if (m_status.isOk()) note(m_copies.flush());
    if (m_status.isOk()) note(m_sets.flush());
    if (m_status.isOk()) note(m_syncs.flush());
    if (m_status.isOk()) note(m_connection.exec("COMMIT"));
    if (m_status.isOk()) note(m_connection.exec("BEGIN IMMEDIATE"));
    return m_status;
}

}  // namespace vramscope::collector
