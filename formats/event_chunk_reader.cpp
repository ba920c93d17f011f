// SPDX-License-Identifier: Apache-2.0
#include "formats/event_chunk.h"
#include "formats/varint.h"

namespace vramscope::formats {

namespace {

constexpr std::uint8_t kVersion = 2;
// What version 1 had among its columns of launches and later ones have not.
constexpr std::size_t kSharedBytesColumn = 12;

Status damaged(const char* what) {
    return {ErrorKind::Unreadable, std::string("an event chunk is damaged (") + what + ")"};
}

}  // namespace

/// Walks the outline once. Each step returns false at the first thing that cannot be.
class ChunkReader::Parser {
public:
    Parser(std::span<const std::byte> data, ChunkReader& chunk) : m_bytes(data), m_chunk(chunk) {}

    Status parse(EventKind kind) {
        const auto version = m_bytes.byte();
        if (version && *version > kVersion) {
            return {ErrorKind::Unreadable,
                    "an event chunk was written by a newer vramscope. Update vramscope"};
        }
        if (!version || *version == 0) return damaged("version");
        const auto events = m_bytes.varint(kMaxChunkEvents);
        if (!events || *events == 0) return damaged("number of events");
        m_chunk.m_eventCount = *events;
        const auto sites = *version == 1 ? std::optional<std::uint64_t>(0) : m_bytes.varint(*events);
        if (!sites) return damaged("number of sites");
        m_chunk.m_siteCount = *sites;
        if (!parseNames()) return damaged("names of calls");
        const bool hasSharedBytes = *version == 1 && kind == EventKind::Launches;
        const auto columns = m_bytes.varint(eventColumns(kind).size() + (hasSharedBytes ? 1 : 0));
        if (!columns || *columns == 0) return damaged("number of columns");
        if (!parseColumns(*columns)) return damaged("column");
        // Enter times lead; a column that is relative to them must not be their own column.
        if (m_chunk.m_columns[0].packed.transform() == ColumnTransform::SinceEnter)
            return damaged("enter times");
        if (m_bytes.left() != 0) return damaged("bytes left over");
        if (hasSharedBytes && m_chunk.m_columns.size() > kSharedBytesColumn) {
            m_chunk.m_columns.erase(m_chunk.m_columns.begin() + kSharedBytesColumn);
        }
        return Status::ok();
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

    bool parseColumns(std::size_t count) {
        if (m_chunk.m_siteCount > 0) {
            const auto sites = PackedColumn::parse(m_bytes, m_chunk.m_eventCount);
            if (!sites || sites->transform() == ColumnTransform::SinceEnter) return false;
            m_chunk.m_sites = *sites;
        }
        m_chunk.m_columns.resize(count);
        for (Column& column : m_chunk.m_columns) {
            if (!parseColumn(column)) return false;
        }
        return true;
    }

    bool parseColumn(Column& column) {
        const auto transform = m_bytes.byte();
        if (!transform) return false;
        column.isPerSite = (*transform & kPerSite) != 0;
        if (column.isPerSite && m_chunk.m_siteCount == 0) return false;
        const auto packed =
            PackedColumn::parse(m_bytes, static_cast<std::uint8_t>(*transform & ~kPerSite),
                                column.isPerSite ? m_chunk.m_siteCount : m_chunk.m_eventCount);
        if (!packed) return false;
        column.packed = *packed;
        return !column.isPerSite || packed->transform() != ColumnTransform::SinceEnter;
    }

    ByteReader m_bytes;
    ChunkReader& m_chunk;
};

StatusOr<ChunkReader> ChunkReader::open(EventKind kind, std::span<const std::byte> data) {
    ChunkReader chunk;
    VRAMSCOPE_RETURN_IF_ERROR(Parser(data, chunk).parse(kind));
    return chunk;
}

Status ChunkReader::readSites(ZstdDecompressor& decompressor) {
    if (!m_siteOf.empty()) return Status::ok();
    ColumnValues sites;
    if (!m_sites.unpack(decompressor, sites)) return damaged("compressed bytes");
    for (const std::uint64_t site : sites) {
        if (site >= m_siteCount) return damaged("sites");
    }
    m_siteOf = std::move(sites);
    return Status::ok();
}

Status ChunkReader::readColumn(std::size_t column, ZstdDecompressor& decompressor, ColumnValues& values) {
    if (column >= m_columns.size()) {
        values.assign(m_eventCount, 0);
        return Status::ok();
    }
    const Column& wanted = m_columns[column];
    if (wanted.isPerSite) {
        VRAMSCOPE_RETURN_IF_ERROR(readSites(decompressor));
        if (!wanted.packed.unpack(decompressor, m_siteValues)) return damaged("compressed bytes");
        values.resize(m_eventCount);
        for (std::size_t i = 0; i < m_eventCount; ++i)
            values[i] = m_siteValues[m_siteOf[i]];
        return Status::ok();
    }
    if (!wanted.packed.unpack(decompressor, values)) return damaged("compressed bytes");
    if (wanted.packed.transform() == ColumnTransform::SinceEnter) {
        ColumnValues enterNs;
        VRAMSCOPE_RETURN_IF_ERROR(readColumn(0, decompressor, enterNs));
        for (std::size_t i = 0; i < m_eventCount; ++i)
            values[i] += enterNs[i];
    }
    return Status::ok();
}

}  // namespace vramscope::formats
