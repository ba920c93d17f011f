// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/event_chunk.h"
#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::formats {

/// What a chunk's row says about it.
struct ChunkSummary {
    EventKind kind{};
    std::int64_t firstNs = 0;
    std::int64_t lastNs = 0;
    std::size_t eventCount = 0;
};

/// Writes rows of event_chunks. Holds a prepared statement: must be destroyed before its connection.
class ChunkRowWriter {
public:
    /// `connection` has the schema of a capture and outlives this.
    static StatusOr<ChunkRowWriter> make(Connection& connection);

    /// A number for a new chunk, never given twice: not even when the transaction that wrote it is rolled
    /// back.
    std::int64_t nextChunkId() { return m_nextChunkId++; }
    /// Writes the row `chunkId`, or replaces it.
    Status write(std::int64_t chunkId, const ChunkSummary& summary, std::span<const std::byte> data);

private:
    ChunkRowWriter(Statement statement, std::int64_t nextChunkId)
        : m_statement(std::move(statement)), m_nextChunkId(nextChunkId) {}
    Statement m_statement;
    std::int64_t m_nextChunkId;
};

/// Collects events of one kind and writes them as chunks of kGoodChunkEvents. flush() stores what there is so
/// far and the same row is replaced as it grows, so that a commit every 200 ms costs no small chunks: a chunk
/// gives 3 bytes an event at 16,384 events and several times that at 100. Memory: kGoodChunkEvents events and
/// the names of calls. One thread at a time.
template <typename Event>
class EventWriter {
public:
    /// All of the capture's writers may share `encoder` and `rows`; both outlive this.
    EventWriter(ChunkEncoder& encoder, ChunkRowWriter& rows) : m_encoder(&encoder), m_rows(&rows) {}

    /// The number that stands for `api` in the events given to this writer; it stays the same for the
    /// writer's life.
    std::uint32_t internApi(std::string_view api) {
        if (api.empty()) return 0;
        const auto found = m_apiIndex.find(std::string(api));
        if (found != m_apiIndex.end()) return found->second;
        // Names of calls are a closed list far below the limit; 0 says "unknown" should that ever change.
        if (m_names.size() >= kMaxChunkNames) return 0;
        m_names.emplace_back(api);
        return m_apiIndex[m_names.back()] = static_cast<std::uint32_t>(m_names.size() - 1);
    }

    /// Events come in any order; in order of enterNs they pack best. Writes when a chunk is full.
    Status add(const Event& event) {
        m_events.push_back(event);
        m_isWritten = false;
        return m_events.size() < kGoodChunkEvents ? Status::ok() : finishChunk();
    }

    /// Stores everything added so far. To be called in the transaction that is about to be committed.
    Status flush() {
        if (m_isWritten) return Status::ok();
        const auto [first, last] =
            std::minmax_element(m_events.begin(), m_events.end(),
                                [](const Event& a, const Event& b) { return a.enterNs < b.enterNs; });
        const ChunkSummary summary{EventTraits<Event>::kKind, first->enterNs, last->enterNs, m_events.size()};
        const auto data = m_encoder->encode(std::span<const Event>(m_events), m_names);
        if (!m_chunkId) m_chunkId = m_rows->nextChunkId();
        VRAMSCOPE_RETURN_IF_ERROR(m_rows->write(*m_chunkId, summary, data));
        m_isWritten = true;
        return Status::ok();
    }

    /// After a transaction with a flush() was rolled back: the next flush() stores the events again. Chunks
    /// that became full in that transaction are lost.
    void transactionWasRolledBack() { m_isWritten = m_events.empty(); }

    /// Stores everything and begins the next chunk.
    Status finishChunk() {
        VRAMSCOPE_RETURN_IF_ERROR(flush());
        m_events.clear();
        m_chunkId.reset();
        return Status::ok();
    }

private:
    ChunkEncoder* m_encoder;
    ChunkRowWriter* m_rows;
    std::vector<Event> m_events;
    ChunkNames m_names{""};
    std::unordered_map<std::string, std::uint32_t> m_apiIndex;
    std::optional<std::int64_t> m_chunkId;
    bool m_isWritten = true;
};

}  // namespace vramscope::formats
