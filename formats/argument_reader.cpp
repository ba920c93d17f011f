// SPDX-License-Identifier: Apache-2.0
#include "formats/argument_reader.h"

#include <algorithm>

namespace vramscope::formats {

namespace {

// Columns of both halves: number of the first set, how many sets (-1: one, in the way of format 1), bytes.
constexpr std::string_view kAllChunks = "SELECT first_set_id, set_count, data FROM main.argument_chunks";
constexpr std::string_view kAllOld = "SELECT argument_set_id, -1, arguments FROM main.argument_sets";
constexpr std::string_view kOneChunk =
    "SELECT * FROM (SELECT first_set_id, set_count, data FROM main.argument_chunks WHERE first_set_id <= ?1 "
    "ORDER BY first_set_id DESC LIMIT 1)";
constexpr std::string_view kOneOld =
    "SELECT argument_set_id, -1, arguments FROM main.argument_sets WHERE argument_set_id = ?1";

constexpr const char* kHasArgumentChunkTable =
    "SELECT 1 FROM main.sqlite_schema WHERE name = 'argument_chunks' AND type = 'table'";

/// Position of `setId` among sets that begin with `first`; wraps to something huge when it is before them.
std::uint64_t indexOf(std::int64_t setId, std::int64_t first) {
    return static_cast<std::uint64_t>(setId) - static_cast<std::uint64_t>(first);
}

}  // namespace

Status ArgumentReader::failed() const {
    return {ErrorKind::Unreadable, std::string("argument sets cannot be read: ") + sqlite3_errmsg(m_db)};
}

Status ArgumentReader::prepare(std::string_view chunkQuery, std::string_view oldQuery, StatementHandle& out) {
    std::string sql;
    for (const auto& [test, query] :
         {std::pair(kHasArgumentSetTable, oldQuery), std::pair(kHasArgumentChunkTable, chunkQuery)}) {
        StatementHandle exists;
        if (prepareHandle(m_db, test, exists) != SQLITE_OK) return failed();
        if (sqlite3_step(exists.get()) != SQLITE_ROW) continue;
        if (!sql.empty()) sql += " UNION ALL ";
        sql += query;
    }
    if (sql.empty()) sql = "SELECT 0, 0, x'' WHERE false";
    return prepareHandle(m_db, sql, out) == SQLITE_OK ? Status::ok() : failed();
}

Status ArgumentReader::readRow(sqlite3_stmt* row, std::int64_t& firstSetId, ArgumentChunk& out) {
    firstSetId = sqlite3_column_int64(row, 0);
    const std::int64_t count = sqlite3_column_int64(row, 1);
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(row, 2));
    const std::span bytes(data, static_cast<std::size_t>(sqlite3_column_bytes(row, 2)));
    if (count < 0) {
        VRAMSCOPE_RETURN_IF_ERROR(unpackArguments(bytes, out.arguments));
        out.starts = {0, static_cast<std::uint32_t>(out.arguments.size())};
        return Status::ok();
    }
    VRAMSCOPE_ASSIGN_OR_RETURN(out, decodeArgumentChunk(bytes, m_decompressor));
    if (static_cast<std::int64_t>(out.setCount()) == count) return Status::ok();
    return {ErrorKind::Unreadable, "an argument chunk is damaged (set_count)"};
}

StatusOr<std::span<const LaunchArgument>> ArgumentReader::find(std::int64_t setId) {
    ++m_uses;
    for (Kept& kept : m_kept) {
        const std::uint64_t index = indexOf(setId, kept.firstSetId);
        if (kept.lastUse == 0 || index >= kept.chunk.setCount()) continue;
        kept.lastUse = m_uses;
        return kept.chunk.set(index);
    }
    if (!m_findRow) VRAMSCOPE_RETURN_IF_ERROR(prepare(kOneChunk, kOneOld, m_findRow));
    sqlite3_reset(m_findRow.get());
    sqlite3_bind_int64(m_findRow.get(), 1, setId);
    for (;;) {
        const int code = sqlite3_step(m_findRow.get());
        if (code == SQLITE_DONE) return std::span<const LaunchArgument>();
        if (code != SQLITE_ROW) return failed();
        Kept& kept = *std::ranges::min_element(m_kept, {}, &Kept::lastUse);
        kept.lastUse = 0;
        VRAMSCOPE_RETURN_IF_ERROR(readRow(m_findRow.get(), kept.firstSetId, kept.chunk));
        kept.lastUse = m_uses;
        const std::uint64_t index = indexOf(setId, kept.firstSetId);
        if (index >= kept.chunk.setCount()) continue;
        sqlite3_reset(m_findRow.get());
        return kept.chunk.set(index);
    }
}

void ArgumentReader::rewind() {
    m_allRows.reset();
    m_walked = {};
    m_walkedSets = 0;
}

StatusOr<bool> ArgumentReader::next(std::int64_t& setId, std::span<const LaunchArgument>& set) {
    if (!m_allRows) VRAMSCOPE_RETURN_IF_ERROR(prepare(kAllChunks, kAllOld, m_allRows));
    for (;;) {
        while (m_walkedSets == m_walked.setCount()) {
            const int code = sqlite3_step(m_allRows.get());
            if (code == SQLITE_DONE) return false;
            if (code != SQLITE_ROW) return failed();
            m_walked = {};
            m_walkedSets = 0;
            VRAMSCOPE_RETURN_IF_ERROR(readRow(m_allRows.get(), m_walkedFirstSetId, m_walked));
        }
        set = m_walked.set(m_walkedSets);
        setId = static_cast<std::int64_t>(static_cast<std::uint64_t>(m_walkedFirstSetId) + m_walkedSets++);
        if (!set.empty()) return true;
    }
}

}  // namespace vramscope::formats
