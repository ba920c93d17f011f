// SPDX-License-Identifier: Apache-2.0
#include "formats/event_writer.h"

namespace vramscope::formats {

StatusOr<ChunkRowWriter> ChunkRowWriter::make(Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        Statement statement,
        connection.prepare(
            "INSERT OR REPLACE INTO event_chunks (chunk_id, kind, first_ns, last_ns, event_count, data) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto lastId,
                               connection.queryInt("SELECT max(chunk_id) FROM event_chunks"));
    return ChunkRowWriter(std::move(statement), lastId.value_or(0) + 1);
}

Status ChunkRowWriter::write(std::int64_t chunkId, const ChunkSummary& summary,
                             std::span<const std::byte> data) {
    return m_statement.runWith(chunkId, eventKindName(summary.kind), summary.firstNs, summary.lastNs,
                               summary.eventCount, data);
}

}  // namespace vramscope::formats
