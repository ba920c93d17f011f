// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/distinct_index.h"
#include "formats/event_columns.h"
#include "formats/event_types.h"
#include "formats/packed_column.h"
#include "formats/status.h"
#include "formats/zstd_block.h"

namespace vramscope::formats {

/// Layout of event_chunks.data, all numbers varints (formats/varint.h) unless a byte is named:
///
///     byte 2 (version), events, sites, names, { bytes of the name, name } ..., columns, if there are sites
///     the column of site numbers, column ...
///
/// Columns (formats/packed_column.h) are those of eventColumns(), in that order; missing ones at the end read
/// as 0, so columns may be added. A site is one combination of the values that ColumnCoding::Site columns
/// take together, numbered in the order they first occur. Those columns have kPerSite in their transform and
/// a value for each site; the others have one for each event.
///
/// Version 1, which captures of format 1 hold, has no sites, and launches in it have the column shared_bytes
/// behind block_z, which is skipped.
inline constexpr std::uint8_t kPerSite = 0x80;

/// Most events in a chunk, for writers and readers.
inline constexpr std::size_t kMaxChunkEvents = 65536;
/// Events at which a writer should begin the next chunk: larger ones gain little and cost a reader more to
/// enter.
inline constexpr std::size_t kGoodChunkEvents = 16384;
inline constexpr std::size_t kMaxChunkNames = 1024;
inline constexpr std::size_t kMaxNameBytes = 256;

/// Names of calls; an event's `api` is an index. Entry 0 is the empty name.
using ChunkNames = std::vector<std::string>;

/// Packs events. Keeps its working memory from chunk to chunk: for a full chunk of kGoodChunkEvents less than
/// 5 MiB, zstd's included. One thread at a time.
class ChunkEncoder {
public:
    /// `columns` has one entry of equal length, 1 to kMaxChunkEvents, for each of eventColumns(kind).
    /// `names` beyond kMaxChunkNames or kMaxNameBytes are cut. The result stays valid until the next call.
    std::span<const std::byte> encode(EventKind kind, std::span<const ColumnValues> columns,
                                      const ChunkNames& names);

    /// The same from structs. `events` must not be empty.
    template <typename Event>
    std::span<const std::byte> encode(std::span<const Event> events, const ChunkNames& names) {
        const auto fields = EventTraits<Event>::fields();
        m_columns.resize(fields.size());
        for (ColumnValues& column : m_columns)
            column.resize(events.size());
        // In blocks that stay in the first-level cache while column after column is taken from them.
        constexpr std::size_t kBlock = 256;
        for (std::size_t at = 0; at < events.size(); at += kBlock) {
            const auto block = events.subspan(at, std::min(kBlock, events.size() - at));
            for (std::size_t i = 0; i < fields.size(); ++i)
                fields[i].getAll(block, m_columns[i].data() + at);
        }
        return encode(EventTraits<Event>::kKind, m_columns, names);
    }

private:
    void findSites(std::span<const ColumnSpec> specs, std::span<const ColumnValues> columns);
    void putColumn(const ColumnSpec& spec, const ColumnValues& values, const ColumnValues& enterNs);

    ColumnPacker m_packer;
    std::vector<ColumnValues> m_columns;
    DistinctIndex m_sites;
    ColumnValues m_hashes, m_siteOf, m_siteValues;
    std::vector<std::uint32_t> m_firstOf;  // by site: the event that it occurs in first
    std::vector<std::byte> m_out;
};

/// A chunk whose outline was read and checked; columns are unpacked on demand. Safe on hostile bytes: memory
/// and time are bounded by kMaxChunkEvents and the number of columns. The bytes must outlive it. One thread
/// at a time.
class ChunkReader {
public:
    /// Unreadable, with a sentence to be put behind the file's name, when `data` is no chunk of `kind`.
    static StatusOr<ChunkReader> open(EventKind kind, std::span<const std::byte> data);

    std::size_t eventCount() const { return m_eventCount; }
    const ChunkNames& names() const { return m_names; }
    /// Fills `values` with one number for each event. `column` is an index into eventColumns().
    Status readColumn(std::size_t column, ZstdDecompressor& decompressor, ColumnValues& values);

private:
    struct Column {
        PackedColumn packed;
        bool isPerSite = false;
    };
    class Parser;
    Status readSites(ZstdDecompressor& decompressor);

    std::size_t m_eventCount = 0;
    std::size_t m_siteCount = 0;
    ChunkNames m_names;
    PackedColumn m_sites;
    ColumnValues m_siteOf, m_siteValues;  // of each event, once it was asked for; working memory
    std::vector<Column> m_columns;
};

template <typename Event>
struct DecodedChunk {
    std::vector<Event> events;
    ChunkNames names;
};

/// Unpacks a whole chunk. Errors as ChunkReader::open().
template <typename Event>
StatusOr<DecodedChunk<Event>> decodeChunk(std::span<const std::byte> data, ZstdDecompressor& decompressor) {
    VRAMSCOPE_ASSIGN_OR_RETURN(ChunkReader reader, ChunkReader::open(EventTraits<Event>::kKind, data));
    DecodedChunk<Event> chunk{std::vector<Event>(reader.eventCount()), reader.names()};
    const auto fields = EventTraits<Event>::fields();
    ColumnValues values;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        VRAMSCOPE_RETURN_IF_ERROR(reader.readColumn(i, decompressor, values));
        for (std::size_t row = 0; row < values.size(); ++row)
            fields[i].set(chunk.events[row], values[row]);
    }
    return chunk;
}

}  // namespace vramscope::formats
