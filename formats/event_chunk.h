// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/event_columns.h"
#include "formats/event_types.h"
#include "formats/status.h"
#include "formats/zstd_block.h"

namespace vramscope::formats {

/// Layout of event_chunks.data, all numbers varints (formats/varint.h) unless a byte is named:
///
///     byte 1 (version), events, names, { bytes of the name, name } ..., columns, column ...
///     column:  byte transform (ColumnTransform), for Difference the first value, byte width, then
///              width 0:     the one value that all events have
///              width 1..8:  one plane for each byte of the values, lowest first
///     plane:   byte method (PlaneMethod), then  Same: one byte | Stored: a byte an event | Zstd: bytes, a
///     zstd frame
///
/// Columns are those of eventColumns(), in that order; missing ones at the end read as 0, so columns may be
/// added. Planes are compressed one by one because the low bytes of times are noise that would spoil the
/// statistics of the rest.
enum class ColumnTransform : std::uint8_t { Plain, Difference, SinceEnter };
enum class PlaneMethod : std::uint8_t { Same, Stored, Zstd };

/// Most events in a chunk, for writers and readers.
inline constexpr std::size_t kMaxChunkEvents = 65536;
/// Events at which a writer should begin the next chunk: larger ones gain little and cost a reader more to
/// enter.
inline constexpr std::size_t kGoodChunkEvents = 16384;
inline constexpr std::size_t kMaxChunkNames = 1024;
inline constexpr std::size_t kMaxNameBytes = 256;

/// Names of calls; an event's `api` is an index. Entry 0 is the empty name.
using ChunkNames = std::vector<std::string>;

/// Column-wise values of one chunk, as numbers.
using ColumnValues = std::vector<std::uint64_t>;

/// Packs events. Keeps its working memory from chunk to chunk; one thread at a time.
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
        for (std::size_t i = 0; i < fields.size(); ++i) {
            m_columns[i].resize(events.size());
            for (std::size_t row = 0; row < events.size(); ++row)
                m_columns[i][row] = fields[i].get(events[row]);
        }
        return encode(EventTraits<Event>::kKind, m_columns, names);
    }

private:
    void putColumn(const ColumnSpec& spec, const ColumnValues& values, const ColumnValues& enterNs);
    void packValues(std::span<const std::uint64_t> values, std::vector<std::byte>& out);
    void packDifferences(std::span<const std::uint64_t> values, std::vector<std::byte>& out);
    void putPlane(std::span<const std::uint64_t> values, int shift, std::vector<std::byte>& out);

    ZstdCompressor m_compressor;
    std::vector<ColumnValues> m_columns;
    ColumnValues m_transformed;
    std::vector<std::byte> m_plane, m_packed, m_first, m_second, m_out;
};

/// A chunk whose outline was read and checked; columns are unpacked on demand. Safe on hostile bytes: memory
/// and time are bounded by kMaxChunkEvents and the number of columns. The bytes must outlive it.
class ChunkReader {
public:
    /// Unreadable, with a sentence to be put behind the file's name, when `data` is no chunk of `kind`.
    static StatusOr<ChunkReader> open(EventKind kind, std::span<const std::byte> data);

    std::size_t eventCount() const { return m_eventCount; }
    const ChunkNames& names() const { return m_names; }
    /// Fills `values` with one number for each event. `column` is an index into eventColumns().
    Status readColumn(std::size_t column, ZstdDecompressor& decompressor, ColumnValues& values) const;

private:
    struct Plane {
        PlaneMethod method = PlaneMethod::Same;
        std::span<const std::byte> bytes;
    };
    struct Column {
        ColumnTransform transform = ColumnTransform::Plain;
        std::uint64_t first = 0;  // Difference: what the first difference is added to
        std::uint8_t width = 0;
        std::uint64_t same = 0;  // the one value, for width 0
        std::array<Plane, 8> planes;
    };
    class Parser;

    std::size_t m_eventCount = 0;
    ChunkNames m_names;
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
    VRAMSCOPE_ASSIGN_OR_RETURN(const ChunkReader reader, ChunkReader::open(EventTraits<Event>::kKind, data));
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
