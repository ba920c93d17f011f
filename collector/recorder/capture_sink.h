// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/recorder/address_space.h"
#include "collector/recorder/buffer_rows.h"
#include "collector/recorder/lane_reader.h"
#include "collector/recorder/session_tasks.h"
#include "collector/recorder/tick_clock.h"
#include "formats/event_writer.h"
#include "formats/launch_writer.h"
#include "formats/sqlite.h"

namespace vramscope::collector {

/// Where resolved facts go: one capture being written. Rows are written inside a transaction that commit()
/// closes and reopens. After the first error everything is discarded and status() says why: the job must not
/// be slowed by a full disk, so the recorder goes on draining rings without us. One thread.
class CaptureSink {
public:
    /// `connection` holds the schema; it and `clock` outlive the sink. `sessionStartNs` is the
    /// CLOCK_MONOTONIC time that times in the capture count from.
    static StatusOr<std::unique_ptr<CaptureSink>> open(formats::Connection& connection,
                                                       const TickClock& clock, std::uint64_t sessionStartNs);

    /// A stamp of the job's clock as the capture has it: nanoseconds since the session began.
    std::int64_t sessionTime(std::uint64_t ticks) const {
        return static_cast<std::int64_t>(m_clock.monotonicNsOf(ticks) - m_sessionStartNs);
    }

    /// Runs a prepared statement. `sql` must be a string literal: its address is the cache's key.
    template <typename... Values>
    void run(const char* sql, const Values&... values) {
        formats::Statement* statement = prepared(sql);
        if (statement == nullptr) return;
        note(statement->runWith(values...));
    }

    /// The statement for `sql`, whose address is the key; null after an error.
    formats::Statement* prepared(const char* sql);

    /// The next unused id of `table`, whose ids nobody else gives out.
    std::int64_t nextId(const char* table);

    /// Remembers that a buffer's row must be written: inserted once, updated after that. A buffer that lives
    /// and dies between two commits costs one insert.
    void markBuffer(const BufferPtr& buffer) { m_buffers.mark(buffer); }

    formats::LaunchWriter& launches() { return m_launches; }
    formats::EventWriter<formats::CopyEvent>& copies() { return m_copies; }
    formats::EventWriter<formats::SetEvent>& sets() { return m_sets; }
    formats::EventWriter<formats::SyncEvent>& syncs() { return m_syncs; }

    /// What may own memory, in the whole session.
    SessionTasks& tasks() { return m_tasks; }

    /// Adds a note that readers of the capture will see.
    void addNote(std::uint64_t timeTicks, std::int64_t processId, const char* severity, const char* code,
                 const std::string& message);

    /// Writes what is pending and commits. Returns status().
    Status commit();

    /// Ok, or the first error: from then on nothing is written.
    const Status& status() const { return m_status; }
    void note(const Status& status) {
        if (m_status.isOk() && !status.isOk()) m_status = status;
    }

private:
    CaptureSink(formats::Connection& connection, const TickClock& clock, formats::ChunkRowWriter rows,
                formats::ArgumentWriter arguments, std::uint64_t sessionStartNs);

    formats::Connection& m_connection;
    const TickClock& m_clock;
    std::uint64_t m_sessionStartNs;
    Status m_status;
    std::unordered_map<const char*, formats::Statement> m_statements;
    std::unordered_map<std::string, std::int64_t> m_nextIds;
    BufferRows m_buffers;
    SessionTasks m_tasks;
    formats::ChunkEncoder m_encoder;
    formats::ChunkRowWriter m_chunkRows;
    formats::LaunchWriter m_launches;
    formats::EventWriter<formats::CopyEvent> m_copies;
    formats::EventWriter<formats::SetEvent> m_sets;
    formats::EventWriter<formats::SyncEvent> m_syncs;
};

}  // namespace vramscope::collector
