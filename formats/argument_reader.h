// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "formats/argument_chunk.h"
#include "formats/virtual_table.h"

namespace vramscope::formats {

/// Reads the argument sets of a capture that is open, by number or all of them: argument_chunks and, where a
/// capture has it, the table argument_sets of format 1. Keeps the chunks it unpacked last, at most kKept of
/// them and 3 MiB each, because launches that follow each other use sets of few chunks. Errors are SQLite's
/// own or say what is damaged. One thread at a time.
class ArgumentReader {
public:
    explicit ArgumentReader(sqlite3* db) : m_db(db) {}

    /// The set with this number, empty if there is none. Valid until the next call.
    StatusOr<std::span<const LaunchArgument>> find(std::int64_t setId);

    /// next() begins with the first set again.
    void rewind();
    /// Goes to the next set that has arguments; false at the end. `set` is valid until the next call.
    StatusOr<bool> next(std::int64_t& setId, std::span<const LaunchArgument>& set);

private:
    static constexpr std::size_t kKept = 8;
    struct Kept {
        std::int64_t firstSetId = 0;
        std::uint64_t lastUse = 0;  // 0: empty
        ArgumentChunk chunk;
    };

    Status failed() const;
    Status prepare(std::string_view chunkQuery, std::string_view oldQuery, StatementHandle& out);
    Status readRow(sqlite3_stmt* row, std::int64_t& firstSetId, ArgumentChunk& out);

    sqlite3* m_db;
    ZstdDecompressor m_decompressor;
    std::array<Kept, kKept> m_kept;
    std::uint64_t m_uses = 0;
    StatementHandle m_findRow, m_allRows;
    ArgumentChunk m_walked;  // next() is in here
    std::int64_t m_walkedFirstSetId = 0;
    std::size_t m_walkedSets = 0;  // of which this many were given out
};

}  // namespace vramscope::formats
