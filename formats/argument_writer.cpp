// SPDX-License-Identifier: Apache-2.0
#include "formats/argument_writer.h"

#include <algorithm>
#include <optional>

namespace vramscope::formats {

namespace {

// Far from where arithmetic on numbers of sets would wrap; only a forged capture comes near.
constexpr std::int64_t kGreatestFirstSetId = std::int64_t{1} << 62;

}  // namespace

StatusOr<ArgumentWriter> ArgumentWriter::make(Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        Statement statement,
        connection.prepare(
            "INSERT OR REPLACE INTO argument_chunks (first_set_id, set_count, data) VALUES (?1, ?2, ?3)"));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        const auto nextId, connection.queryInt("SELECT max(first_set_id + set_count) FROM argument_chunks"));
    std::int64_t firstSetId = nextId.value_or(1);
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto wasFormat1, connection.queryInt(kHasArgumentSetTable));
    if (wasFormat1) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const auto next,
                                   connection.queryInt("SELECT max(argument_set_id) + 1 FROM argument_sets"));
        firstSetId = std::max(firstSetId, next.value_or(1));
    }
    return ArgumentWriter(std::move(statement), std::clamp<std::int64_t>(firstSetId, 1, kGreatestFirstSetId));
}

StatusOr<std::int64_t> ArgumentWriter::intern(std::span<const LaunchArgument> arguments,
                                              std::uint64_t fingerprint) {
    if (arguments.empty()) return 0;
    const std::int64_t newId = m_firstSetId + static_cast<std::int64_t>(m_chunk.setCount());
    const std::int64_t id = m_cache.findOrAdd(fingerprint, newId, newId - kArgumentWindow + 1);
    if (id != newId) return id;
    m_chunk.add(arguments);
    m_isWritten = false;
    if (m_chunk.isFull()) {
        VRAMSCOPE_RETURN_IF_ERROR(flush());
        m_firstSetId += static_cast<std::int64_t>(m_chunk.setCount());
        m_chunk.clear();
    }
    return id;
}

Status ArgumentWriter::flush() {
    if (m_isWritten) return Status::ok();
    VRAMSCOPE_RETURN_IF_ERROR(m_statement.runWith(m_firstSetId, m_chunk.setCount(), m_chunk.encode()));
    m_isWritten = true;
    return Status::ok();
}

}  // namespace vramscope::formats
