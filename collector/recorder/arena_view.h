// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <sys/types.h>

#include "formats/arena.h"
#include "formats/status.h"

namespace vramscope::collector {

/// The recorder's side of one process's arena: mapped, checked once, every access within bounds after that.
/// The job can write into it at any time, so nothing read from it is trusted to be consistent, only to be
/// memory.
class ArenaView {
public:
    /// Maps the file. Unreadable when it is no arena of this build's layout.
    static StatusOr<ArenaView> open(const std::filesystem::path& path);
    /// A copy of a mark: a file that is only a header, with no lanes and nothing recorded. Another user may
    /// have made it, so it is read, not mapped.
    static StatusOr<ArenaView> openMark(const std::filesystem::path& path);
    /// The same for a file that is mapped already: `memory`, of at least kArenaHeaderBytes, is taken over and
    /// unmapped in the end, also when it is no arena.
    static StatusOr<ArenaView> overMapping(void* memory, std::uint64_t bytes,
                                           const std::filesystem::path& path);

    ArenaView(ArenaView&& other) noexcept;
    ArenaView& operator=(ArenaView&& other) noexcept;
    ~ArenaView();

    formats::ArenaHeader& header() { return *m_header; }
    const formats::ArenaHeader& header() const { return *m_header; }
    std::uint32_t laneCount() const { return m_laneCount; }
    std::uint32_t segmentCount() const { return m_segmentCount; }
    const std::filesystem::path& path() const { return m_path; }

    /// `index` must be below laneCount().
    formats::Lane& lane(std::uint32_t index) { return m_lanes[index]; }
    /// Null for an index that is out of range, which a damaged arena can hold.
    formats::SegmentHeader* segment(std::uint32_t index);
    /// The records of a segment by slot, 1 to kSegmentSlots - 1.
    const formats::Record* slot(std::uint32_t segmentIndex, std::uint32_t slotIndex);
    /// A copy of a stack node; nullopt when out of range.
    std::optional<formats::StackNode> stackNode(std::uint32_t id) const;

    /// Gives a segment back to the job's threads.
    void freeSegment(std::uint32_t index);

private:
    ArenaView() = default;

    std::filesystem::path m_path;
    formats::ArenaHeader* m_header = nullptr;
    formats::Lane* m_lanes = nullptr;
    const formats::StackNode* m_nodes = nullptr;
    char* m_segments = nullptr;
    std::uint64_t m_bytes = 0;
    std::uint32_t m_laneCount = 0;
    std::uint32_t m_segmentCount = 0;
    std::uint32_t m_nodeCount = 0;
};

}  // namespace vramscope::collector
