// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "formats/argument_chunk.h"

namespace vramscope::formats {

namespace {

constexpr std::uint8_t kVersion = 1;

Status damaged(const char* what) {
    return {ErrorKind::Unreadable, std::string("an argument chunk is damaged (") + what + ")"};
}

/// What the outline of a chunk says, and its columns unpacked.
struct Columns {
    ColumnValues placeCounts, steps, shapeOf, buffers, offsets;
};

std::optional<Columns> unpackColumns(ByteReader& bytes, ZstdDecompressor& decompressor) {
    const auto sets = bytes.varint(kMaxArgumentChunkSets);
    const auto shapes = sets ? bytes.varint(*sets) : std::nullopt;
    const auto places = shapes ? bytes.varint(kMaxArgumentChunkPointers) : std::nullopt;
    const auto pointers = places ? bytes.varint(kMaxArgumentChunkPointers) : std::nullopt;
    if (!pointers) return std::nullopt;
    Columns columns;
    const auto read = [&](std::uint64_t count, ColumnValues& values) {
        const auto packed = PackedColumn::parse(bytes, count);
        return packed && packed->transform() != ColumnTransform::SinceEnter &&
               packed->unpack(decompressor, values);
    };
    const bool isWhole = read(*shapes, columns.placeCounts) && read(*places, columns.steps) &&
                         read(*sets, columns.shapeOf) && read(*pointers, columns.buffers) &&
                         read(*pointers, columns.offsets) && bytes.left() == 0;
    return isWhole ? std::optional(std::move(columns)) : std::nullopt;
}

/// Turns the steps into parameter offsets and the counts into first places. False if they do not fit.
bool unfoldShapes(Columns& columns, std::vector<std::uint32_t>& firstPlace) {
    firstPlace.push_back(0);
    for (const std::uint64_t count : columns.placeCounts) {
        const std::uint32_t first = firstPlace.back();
        if (count > kMaxLaunchArguments || count > columns.steps.size() - first) return false;
        std::uint64_t place = 0;
        for (std::size_t i = first; i < first + count; ++i) {
            if (columns.steps[i] > kMaxParameterOffset - place) return false;
            columns.steps[i] = place += columns.steps[i];
        }
        firstPlace.push_back(first + static_cast<std::uint32_t>(count));
    }
    return firstPlace.back() == columns.steps.size();
}

}  // namespace

StatusOr<ArgumentChunk> decodeArgumentChunk(std::span<const std::byte> data, ZstdDecompressor& decompressor) {
    ByteReader bytes(data);
    const auto version = bytes.byte();
    if (version && *version > kVersion) {
        return Status(ErrorKind::Unreadable,
                      "an argument chunk was written by a newer vramscope. Update vramscope");
    }
    if (version != kVersion) return damaged("version");
    std::optional<Columns> columns = unpackColumns(bytes, decompressor);
    if (!columns) return damaged("columns");
    std::vector<std::uint32_t> firstPlace;
    if (!unfoldShapes(*columns, firstPlace)) return damaged("shapes");

    ArgumentChunk chunk;
    chunk.starts.reserve(columns->shapeOf.size() + 1);
    chunk.arguments.resize(columns->buffers.size());
    for (const std::uint64_t shape : columns->shapeOf) {
        if (shape >= columns->placeCounts.size()) return damaged("sets");
        const std::uint32_t first = chunk.starts.back();
        const std::uint64_t count = columns->placeCounts[shape];
        if (count > chunk.arguments.size() - first) return damaged("sets");
        for (std::size_t i = 0; i < count; ++i) {
            chunk.arguments[first + i] = {static_cast<std::uint32_t>(columns->steps[firstPlace[shape] + i]),
                                          static_cast<std::int64_t>(columns->buffers[first + i]),
                                          unpackOffset(columns->offsets[first + i])};
        }
        chunk.starts.push_back(first + static_cast<std::uint32_t>(count));
    }
    if (chunk.starts.back() != chunk.arguments.size()) return damaged("sets");
    return chunk;
}

}  // namespace vramscope::formats
