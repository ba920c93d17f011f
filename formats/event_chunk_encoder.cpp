// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cassert>

#include "formats/event_chunk.h"
#include "formats/varint.h"

namespace vramscope::formats {

namespace {

constexpr std::byte kVersion{1};

void transformSinceEnter(std::span<const std::uint64_t> values, const ColumnValues& enterNs,
                         ColumnValues& out) {
    out.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        out[i] = zigzag(values[i] - enterNs[i]);
}

}  // namespace

std::span<const std::byte> ChunkEncoder::encode(EventKind kind, std::span<const ColumnValues> columns,
                                                const ChunkNames& names) {
    const auto specs = eventColumns(kind);
    assert(columns.size() == specs.size() && !columns[0].empty() && columns[0].size() <= kMaxChunkEvents);
    m_out.clear();
    m_out.push_back(kVersion);
    putVarint(m_out, columns[0].size());
    const std::size_t nameCount = std::min(names.size(), kMaxChunkNames);
    putVarint(m_out, nameCount);
    for (std::size_t i = 0; i < nameCount; ++i) {
        const auto name = std::as_bytes(std::span(names[i])).first(std::min(names[i].size(), kMaxNameBytes));
        putVarint(m_out, name.size());
        m_out.insert(m_out.end(), name.begin(), name.end());
    }
    putVarint(m_out, columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i)
        putColumn(specs[i], columns[i], columns[0]);
    return m_out;
}

void ChunkEncoder::putColumn(const ColumnSpec& spec, const ColumnValues& values,
                             const ColumnValues& enterNs) {
    m_first.clear();
    switch (spec.coding) {
        case ColumnCoding::Time:
            packDifferences(values, m_first);
            break;
        case ColumnCoding::SinceEnter:
            transformSinceEnter(values, enterNs, m_transformed);
            m_first.push_back(static_cast<std::byte>(ColumnTransform::SinceEnter));
            packValues(m_transformed, m_first);
            break;
        case ColumnCoding::Repeats:
            m_first.push_back(static_cast<std::byte>(ColumnTransform::Plain));
            packValues(values, m_first);
            // Differences win for numbers that are handed out in order. Not worth trying where it went well
            // already.
            if (m_first.size() > 32 + values.size() / 16) {
                m_second.clear();
                packDifferences(values, m_second);
                if (m_second.size() < m_first.size()) m_first.swap(m_second);
            }
            break;
    }
    m_out.insert(m_out.end(), m_first.begin(), m_first.end());
}

void ChunkEncoder::packDifferences(std::span<const std::uint64_t> values, std::vector<std::byte>& out) {
    out.push_back(static_cast<std::byte>(ColumnTransform::Difference));
    // Stored apart: among the differences the first value would widen all of them.
    putVarint(out, values[0]);
    m_transformed.resize(values.size());
    std::uint64_t previous = values[0];
    for (std::size_t i = 0; i < values.size(); ++i) {
        m_transformed[i] = zigzag(values[i] - previous);
        previous = values[i];
    }
    packValues(m_transformed, out);
}

void ChunkEncoder::packValues(std::span<const std::uint64_t> values, std::vector<std::byte>& out) {
    std::uint64_t bits = 0;
    bool same = true;
    for (const std::uint64_t value : values) {
        bits |= value;
        same = same && value == values[0];
    }
    if (same) {
        out.push_back(std::byte{0});
        putVarint(out, values[0]);
        return;
    }
    const auto width = static_cast<int>((std::bit_width(bits) + 7) / 8);
    out.push_back(static_cast<std::byte>(width));
    for (int plane = 0; plane < width; ++plane)
        putPlane(values, plane * 8, out);
}

void ChunkEncoder::putPlane(std::span<const std::uint64_t> values, int shift, std::vector<std::byte>& out) {
    m_plane.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        m_plane[i] = static_cast<std::byte>(values[i] >> shift);
    const bool same =
        std::all_of(m_plane.begin(), m_plane.end(), [&](std::byte b) { return b == m_plane[0]; });
    if (same) {
        out.push_back(static_cast<std::byte>(PlaneMethod::Same));
        out.push_back(m_plane[0]);
    } else if (m_compressor.compress(m_plane, m_packed)) {
        out.push_back(static_cast<std::byte>(PlaneMethod::Zstd));
        putVarint(out, m_packed.size());
        out.insert(out.end(), m_packed.begin(), m_packed.end());
    } else {
        out.push_back(static_cast<std::byte>(PlaneMethod::Stored));
        out.insert(out.end(), m_plane.begin(), m_plane.end());
    }
}

}  // namespace vramscope::formats
