// SPDX-License-Identifier: Apache-2.0
#include "formats/packed_column.h"

namespace vramscope::formats {

std::optional<PackedColumn> PackedColumn::parse(ByteReader& bytes, std::size_t count) {
    const auto transform = bytes.byte();
    return transform ? parse(bytes, *transform, count) : std::nullopt;
}

std::optional<PackedColumn> PackedColumn::parse(ByteReader& bytes, std::uint8_t transform,
                                                std::size_t count) {
    PackedColumn column;
    column.m_count = count;
    if (transform > static_cast<int>(ColumnTransform::Counter)) return std::nullopt;
    column.m_transform = static_cast<ColumnTransform>(transform);
    if (column.m_transform == ColumnTransform::Difference || column.m_transform == ColumnTransform::Counter) {
        const auto first = bytes.varint();
        if (!first) return std::nullopt;
        column.m_first = *first;
    }
    const auto width = bytes.byte();
    if (!width || *width > column.m_planes.size()) return std::nullopt;
    column.m_width = *width;
    if (column.m_width == 0) {
        const auto same = bytes.varint();
        if (!same) return std::nullopt;
        column.m_same = *same;
    }
    for (std::size_t i = 0; i < column.m_width; ++i) {
        if (!parsePlane(bytes, count, column.m_planes[i])) return std::nullopt;
    }
    return column;
}

bool PackedColumn::parsePlane(ByteReader& bytes, std::size_t count, Plane& plane) {
    const auto method = bytes.byte();
    if (!method || *method > static_cast<int>(PlaneMethod::Zstd)) return false;
    plane.method = static_cast<PlaneMethod>(*method);
    std::optional<std::uint64_t> size = 1;
    if (plane.method == PlaneMethod::Stored) size = count;
    if (plane.method == PlaneMethod::Zstd) size = bytes.varint(count);
    const auto content = size ? bytes.bytes(*size) : std::nullopt;
    plane.bytes = content.value_or(std::span<const std::byte>());
    return content.has_value();
}

bool PackedColumn::unpackPlanes(ZstdDecompressor& decompressor, ColumnValues& values) const {
    std::vector<std::byte> unpacked;
    for (std::size_t plane = 0; plane < m_width; ++plane) {
        std::span<const std::byte> bytes = m_planes[plane].bytes;
        if (m_planes[plane].method == PlaneMethod::Zstd) {
            unpacked.resize(m_count);
            if (!decompressor.decompress(bytes, unpacked)) return false;
            bytes = unpacked;
        }
        const std::size_t stride = m_planes[plane].method == PlaneMethod::Same ? 0 : 1;
        for (std::size_t i = 0; i < m_count; ++i)
            values[i] |= static_cast<std::uint64_t>(bytes[i * stride]) << (8 * plane);
    }
    return true;
}

bool PackedColumn::unpack(ZstdDecompressor& decompressor, ColumnValues& values) const {
    values.assign(m_count, m_width == 0 ? m_same : 0);
    if (!unpackPlanes(decompressor, values)) return false;
    switch (m_transform) {
        case ColumnTransform::Plain:
            break;
        case ColumnTransform::Difference: {
            std::uint64_t previous = m_first;
            for (std::uint64_t& value : values)
                previous = value = previous + unzigzag(value);
            break;
        }
        case ColumnTransform::SinceEnter:
            for (std::uint64_t& value : values)
                value = unzigzag(value);
            break;
        case ColumnTransform::Counter: {
            std::uint64_t next = m_first;
            for (std::uint64_t& value : values) {
                value = value == 0 ? next : value - 1;
                if (value >= next) next = value + 1;
            }
            break;
        }
    }
    return true;
}

}  // namespace vramscope::formats
