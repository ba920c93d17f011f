// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "formats/packed_column.h"

namespace vramscope::formats {

namespace {

// Values that putSmaller() packs both ways to choose. Longer columns are alike all through.
constexpr std::size_t kSampleValues = 2048;

void begin(ColumnTransform transform, std::vector<std::byte>& out) {
    out.push_back(static_cast<std::byte>(transform));
}

}  // namespace

void ColumnPacker::putPlain(std::span<const std::uint64_t> values, std::vector<std::byte>& out) {
    begin(ColumnTransform::Plain, out);
    putValues(values, out);
}

void ColumnPacker::putDifferences(std::span<const std::uint64_t> values, std::vector<std::byte>& out) {
    begin(ColumnTransform::Difference, out);
    // Stored apart: among the differences the first value would widen all of them.
    putVarint(out, values[0]);
    m_transformed.resize(values.size());
    m_transformed[0] = 0;
    for (std::size_t i = 1; i < values.size(); ++i)
        m_transformed[i] = zigzag(values[i] - values[i - 1]);
    putValues(m_transformed, out);
}

void ColumnPacker::putSmaller(std::span<const std::uint64_t> values, std::vector<std::byte>& out) {
    const auto sample = values.first(std::min(values.size(), kSampleValues));
    m_trial.clear();
    putPlain(sample, m_trial);
    const std::size_t plainBytes = m_trial.size();
    // Not worth trying where it went well already.
    if (plainBytes > 32 + sample.size() / 16) {
        m_trial.clear();
        putDifferences(sample, m_trial);
        if (m_trial.size() < plainBytes) return putDifferences(values, out);
    }
    putPlain(values, out);
}

void ColumnPacker::putSince(std::span<const std::uint64_t> values, std::span<const std::uint64_t> base,
                            std::vector<std::byte>& out) {
    begin(ColumnTransform::SinceEnter, out);
    m_transformed.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        m_transformed[i] = zigzag(values[i] - base[i]);
    putValues(m_transformed, out);
}

void ColumnPacker::putCounter(std::span<const std::uint64_t> values, std::vector<std::byte>& out) {
    m_transformed.resize(values.size());
    std::uint64_t next = values[0];
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t value = values[i];
        if (value >> 63 != 0) return putPlain(values, out);
        m_transformed[i] = value == next ? 0 : value + 1;
        next = std::max(next, value + 1);
    }
    begin(ColumnTransform::Counter, out);
    putVarint(out, values[0]);
    putValues(m_transformed, out);
}

void ColumnPacker::putValues(std::span<const std::uint64_t> values, std::vector<std::byte>& out) {
    std::uint64_t bits = 0;
    std::uint64_t differing = 0;
    for (const std::uint64_t value : values) {
        bits |= value;
        differing |= value ^ values[0];
    }
    if (differing == 0) {
        out.push_back(std::byte{0});
        putVarint(out, values[0]);
        return;
    }
    const auto width = static_cast<int>((std::bit_width(bits) + 7) / 8);
    out.push_back(static_cast<std::byte>(width));
    for (int plane = 0; plane < width; ++plane) {
        if ((differing >> (8 * plane) & 0xFF) != 0) {
            putPlane(values, plane * 8, out);
        } else {
            out.push_back(static_cast<std::byte>(PlaneMethod::Same));
            out.push_back(static_cast<std::byte>(values[0] >> (8 * plane)));
        }
    }
}

void ColumnPacker::putPlane(std::span<const std::uint64_t> values, int shift, std::vector<std::byte>& out) {
    m_plane.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        m_plane[i] = static_cast<std::byte>(values[i] >> shift);
    if (m_compressor.compress(m_plane, m_packed)) {
        out.push_back(static_cast<std::byte>(PlaneMethod::Zstd));
        putVarint(out, m_packed.size());
        out.insert(out.end(), m_packed.begin(), m_packed.end());
    } else {
        out.push_back(static_cast<std::byte>(PlaneMethod::Stored));
        out.insert(out.end(), m_plane.begin(), m_plane.end());
    }
}

}  // namespace vramscope::formats
