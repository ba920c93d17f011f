// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/argument_set.h"
#include "formats/distinct_index.h"
#include "formats/packed_column.h"
#include "formats/status.h"

namespace vramscope::formats {

/// Layout of argument_chunks.data, all numbers varints unless a byte is named:
///
///     byte 1 (version), sets, shapes, places, pointers, five columns (formats/packed_column.h):
///         places of each shape | parameter offset of each place, each less the one before it in its shape
///         shape of each set    | buffer of each pointer | packOffset() of each pointer
///
/// A shape is the list of parameter offsets that a set has pointers at. A kernel's launches share theirs, so
/// that a set is little more than its pointers.
inline constexpr std::size_t kMaxArgumentChunkSets = 16384;
inline constexpr std::size_t kMaxArgumentChunkPointers = 131'072;
/// A writer begins the next chunk at this many sets or pointers: whoever looks up one set unpacks them all.
inline constexpr std::size_t kGoodArgumentChunkSets = 4096;
inline constexpr std::size_t kGoodArgumentChunkPointers = 32'768;

/// Packs argument sets. Keeps its working memory from chunk to chunk; one thread at a time.
class ArgumentChunkEncoder {
public:
    /// Adds a set of 1 to kMaxLaunchArguments arguments in rising order of parameterOffset, for encode().
    void add(std::span<const LaunchArgument> arguments);
    std::size_t setCount() const { return m_shapeOf.size(); }
    /// True when the next set belongs into the next chunk.
    bool isFull() const {
        return setCount() >= kGoodArgumentChunkSets || m_buffers.size() >= kGoodArgumentChunkPointers;
    }
    /// The sets added since clear(), at least one. The result stays valid until the next call.
    std::span<const std::byte> encode();
    void clear();

private:
    std::uint32_t shapeOf(std::span<const LaunchArgument> arguments);

    ColumnPacker m_packer;
    DistinctIndex m_shapes;
    std::vector<std::size_t> m_firstPlace;         // by shape
    ColumnValues m_placeCounts, m_places;          // by shape; parameter offsets, shape after shape
    ColumnValues m_shapeOf, m_buffers, m_offsets;  // by set; by pointer
    ColumnValues m_steps;
    std::vector<std::byte> m_out;
};

/// The sets of one chunk.
struct ArgumentChunk {
    std::vector<std::uint32_t> starts = {0};  ///< where each set begins, and the end
    std::vector<LaunchArgument> arguments;

    std::size_t setCount() const { return starts.size() - 1; }
    std::span<const LaunchArgument> set(std::size_t index) const {
        return std::span(arguments).subspan(starts[index], starts[index + 1] - starts[index]);
    }
};

/// Unpacks a chunk. Safe on hostile bytes: memory and time are bounded by kMaxArgumentChunkPointers.
/// Unreadable, with a sentence to be put behind the file's name, when `data` is no chunk.
StatusOr<ArgumentChunk> decodeArgumentChunk(std::span<const std::byte> data, ZstdDecompressor& decompressor);

}  // namespace vramscope::formats
