// SPDX-License-Identifier: Apache-2.0
#include "formats/event_chunk.h"
#include "formats/varint.h"

namespace vramscope::formats {

namespace {

constexpr std::uint8_t kVersion = 1;

Status damaged(const char* what) {
    return {ErrorKind::Unreadable, std::string("an event chunk is damaged (") + what + ")"};
}

}  // namespace

/// Walks the outline once. Each step returns false at the first thing that cannot be, with `wrong` saying
/// what.
class ChunkReader::Parser {
public:
    Parser(std::span<const std::byte> data, ChunkReader& chunk) : m_bytes(data), m_chunk(chunk) {}

    Status parse(std::size_t knownColumns) {
        const auto version = m_bytes.byte();
        if (version && *version > kVersion) {
            return {ErrorKind::Unreadable,
                    "an event chunk was written by a newer vramscope. Update vramscope"};
        }
        if (version != kVersion) return damaged("version");
        const auto events = m_bytes.varint(kMaxChunkEvents);
        if (!events || *events == 0) return damaged("number of events");
        m_chunk.m_eventCount = *events;
        if (!parseNames()) return damaged("names of calls");
        const auto columns = m_bytes.varint(knownColumns);
        if (!columns || *columns == 0) return damaged("number of columns");
        m_chunk.m_columns.resize(*columns);
        for (Column& column : m_chunk.m_columns) {
            if (!parseColumn(column)) return damaged("column");
        }
        // Enter times lead; a column that is relative to them must not be their own column.
        if (m_chunk.m_columns[0].transform == ColumnTransform::SinceEnter) return damaged("enter times");
        return m_bytes.left() == 0 ? Status::ok() : damaged("bytes left over");
    }

private:
    bool parseNames() {
        const auto count = m_bytes.varint(kMaxChunkNames);
        if (!count) return false;
        for (std::uint64_t i = 0; i < *count; ++i) {
            const auto size = m_bytes.varint(kMaxNameBytes);
            const auto text = size ? m_bytes.bytes(*size) : std::nullopt;
            if (!text) return false;
            m_chunk.m_names.emplace_back(reinterpret_cast<const char*>(text->data()), text->size());
        }
        return true;
    }

    bool parseColumn(Column& column) {
        const auto transform = m_bytes.byte();
        if (!transform || *transform > static_cast<int>(ColumnTransform::SinceEnter)) return false;
        column.transform = static_cast<ColumnTransform>(*transform);
        if (column.transform == ColumnTransform::Difference) {
            const auto first = m_bytes.varint();
            if (!first) return false;
            column.first = *first;
        }
        const auto width = m_bytes.byte();
        if (!width || *width > column.planes.size()) return false;
        column.width = *width;
        if (column.width == 0) {
            const auto same = m_bytes.varint();
            column.same = same.value_or(0);
            return same.has_value();
        }
        for (std::size_t i = 0; i < column.width; ++i) {
            if (!parsePlane(column.planes[i])) return false;
        }
        return true;
    }

    bool parsePlane(Plane& plane) {
        const auto method = m_bytes.byte();
        if (!method || *method > static_cast<int>(PlaneMethod::Zstd)) return false;
        plane.method = static_cast<PlaneMethod>(*method);
        std::optional<std::uint64_t> size = 1;
        if (plane.method == PlaneMethod::Stored) size = m_chunk.m_eventCount;
        if (plane.method == PlaneMethod::Zstd) size = m_bytes.varint(m_chunk.m_eventCount);
        const auto bytes = size ? m_bytes.bytes(*size) : std::nullopt;
        plane.bytes = bytes.value_or(std::span<const std::byte>());
        return bytes.has_value();
    }

    ByteReader m_bytes;
    ChunkReader& m_chunk;
};

StatusOr<ChunkReader> ChunkReader::open(EventKind kind, std::span<const std::byte> data) {
    ChunkReader chunk;
    VRAMSCOPE_RETURN_IF_ERROR(Parser(data, chunk).parse(eventColumns(kind).size()));
    return chunk;
}

Status ChunkReader::readColumn(std::size_t column, ZstdDecompressor& decompressor,
                               ColumnValues& values) const {
    values.assign(m_eventCount, 0);
    if (column >= m_columns.size()) return Status::ok();
    const Column& packed = m_columns[column];
    if (packed.width == 0) values.assign(m_eventCount, packed.same);
    std::vector<std::byte> unpacked;
    for (std::size_t plane = 0; plane < packed.width; ++plane) {
        std::span<const std::byte> bytes = packed.planes[plane].bytes;
        if (packed.planes[plane].method == PlaneMethod::Zstd) {
            unpacked.resize(m_eventCount);
            if (!decompressor.decompress(bytes, unpacked)) return damaged("compressed bytes");
            bytes = unpacked;
        }
        const std::size_t stride = packed.planes[plane].method == PlaneMethod::Same ? 0 : 1;
        for (std::size_t i = 0; i < m_eventCount; ++i)
            values[i] |= static_cast<std::uint64_t>(bytes[i * stride]) << (8 * plane);
    }
    if (packed.transform == ColumnTransform::Difference) {
        std::uint64_t previous = packed.first;
        for (std::uint64_t& value : values)
            previous = value = previous + unzigzag(value);
    } else if (packed.transform == ColumnTransform::SinceEnter) {
        ColumnValues enterNs;
        VRAMSCOPE_RETURN_IF_ERROR(readColumn(0, decompressor, enterNs));
        for (std::size_t i = 0; i < m_eventCount; ++i)
            values[i] = enterNs[i] + unzigzag(values[i]);
    }
    return Status::ok();
}

}  // namespace vramscope::formats
