// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/varint.h"
#include "formats/zstd_block.h"

namespace vramscope::formats {

/// A column of numbers, as event chunks and argument chunks store it. All numbers are varints
/// (formats/varint.h) unless a byte is named:
///
///     column:  byte transform, for Difference and Counter the first value, byte width, then
///              width 0:     the one value that all have
///              width 1..8:  one plane for each byte of the values, lowest first
///     plane:   byte method (PlaneMethod), then  Same: one byte | Stored: a byte a value | Zstd: bytes, a
///     zstd
///              frame
///
/// Planes are compressed one by one because noise in the low bytes would spoil the statistics of the rest.
using ColumnValues = std::vector<std::uint64_t>;

enum class ColumnTransform : std::uint8_t {
    Plain,       ///< the values themselves
    Difference,  ///< zigzag of each value less the one before
    SinceEnter,  ///< zigzag of each value less that of a base column
    Counter,  ///< 0 for one more than the greatest so far, else the value plus 1: numbers given out in order
};
enum class PlaneMethod : std::uint8_t { Same, Stored, Zstd };

/// Packs columns. Keeps its working memory from one to the next; one thread at a time. `values` are never
/// empty, and each call appends one column to `out`.
class ColumnPacker {
public:
    void putPlain(std::span<const std::uint64_t> values, std::vector<std::byte>& out);
    void putDifferences(std::span<const std::uint64_t> values, std::vector<std::byte>& out);
    /// Plain or as differences, whichever is smaller in a sample.
    void putSmaller(std::span<const std::uint64_t> values, std::vector<std::byte>& out);
    /// `base` has as many values.
    void putSince(std::span<const std::uint64_t> values, std::span<const std::uint64_t> base,
                  std::vector<std::byte>& out);
    /// Falls back on Plain for values from 2^63.
    void putCounter(std::span<const std::uint64_t> values, std::vector<std::byte>& out);

private:
    void putValues(std::span<const std::uint64_t> values, std::vector<std::byte>& out);
    void putPlane(std::span<const std::uint64_t> values, int shift, std::vector<std::byte>& out);

    ZstdCompressor m_compressor;
    ColumnValues m_transformed;
    std::vector<std::byte> m_plane, m_packed, m_trial;
};

/// One column of a chunk whose outline was checked; unpacked on demand. Safe on hostile bytes: memory and
/// time are bounded by the number of values. The bytes must outlive it.
class PackedColumn {
public:
    PackedColumn() = default;
    /// Reads what follows the byte `transform`, for `count` values. nullopt if it is no column.
    static std::optional<PackedColumn> parse(ByteReader& bytes, std::uint8_t transform, std::size_t count);
    /// The same with the byte still to be read.
    static std::optional<PackedColumn> parse(ByteReader& bytes, std::size_t count);

    ColumnTransform transform() const { return m_transform; }
    std::size_t count() const { return m_count; }
    /// Fills `values`; those of SinceEnter still lack their base. False if the bytes are damaged.
    bool unpack(ZstdDecompressor& decompressor, ColumnValues& values) const;

private:
    struct Plane {
        PlaneMethod method = PlaneMethod::Same;
        std::span<const std::byte> bytes;
    };
    static bool parsePlane(ByteReader& bytes, std::size_t count, Plane& plane);
    bool unpackPlanes(ZstdDecompressor& decompressor, ColumnValues& values) const;

    ColumnTransform m_transform = ColumnTransform::Plain;
    std::uint8_t m_width = 0;
    std::size_t m_count = 0;
    std::uint64_t m_first = 0;  // Difference and Counter: what they begin with
    std::uint64_t m_same = 0;   // the one value, for width 0
    std::array<Plane, 8> m_planes;
};

}  // namespace vramscope::formats
