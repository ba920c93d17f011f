// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/arena_view.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace vramscope::collector {

namespace {

Status notAnArena(const std::filesystem::path& path, const char* why) {
    return {ErrorKind::Unreadable, fmt::format("{}: {}; it cannot be recorded from.", path.string(), why)};
}

// Whether `count` things of `size` bytes at `offset` lie within `bytes`, without overflow.
bool fits(std::uint64_t offset, std::uint64_t count, std::uint64_t size, std::uint64_t bytes) {
    return offset <= bytes && count <= (bytes - offset) / size;
}

}  // namespace

StatusOr<ArenaView> ArenaView::open(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return Status(ErrorKind::System, fmt::format("{}: {}.", path.string(), std::strerror(errno)));
    struct stat info {};
    void* memory = MAP_FAILED;
    if (::fstat(file, &info) == 0 && info.st_size >= static_cast<off_t>(formats::kArenaHeaderBytes)) {
        memory = ::mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ | PROT_WRITE, MAP_SHARED,
                        file, 0);
    }
    ::close(file);
    if (memory == MAP_FAILED) return notAnArena(path, "the file is too short for a ring");
    return overMapping(memory, static_cast<std::uint64_t>(info.st_size), path);
}

StatusOr<ArenaView> ArenaView::openMark(const std::filesystem::path& path) {
    constexpr std::size_t kBytes = formats::kArenaHeaderBytes;
    // Not to block on a pipe that somebody put there.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return Status(ErrorKind::System, fmt::format("{}: {}.", path.string(), std::strerror(errno)));
    struct stat info {};
    const bool isFile = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool isRead =
        isFile && memory != MAP_FAILED && ::read(file, memory, kBytes) == static_cast<ssize_t>(kBytes);
    ::close(file);
    if (!isRead) {
        if (memory != MAP_FAILED) ::munmap(memory, kBytes);
        return notAnArena(path, "the file is too short for a mark");
    }
    auto& header = *static_cast<formats::ArenaHeader*>(memory);
    header.laneCount = header.segmentCount = header.stackNodeCapacity = 0;
    header.state.store(static_cast<std::uint32_t>(formats::ArenaState::Off), std::memory_order_relaxed);
    return overMapping(memory, kBytes, path);
}

StatusOr<ArenaView> ArenaView::overMapping(void* memory, std::uint64_t bytes,
                                           const std::filesystem::path& path) {
    ArenaView view;
    view.m_path = path;
    view.m_bytes = bytes;
    view.m_header = static_cast<formats::ArenaHeader*>(memory);
    const formats::ArenaHeader& header = *view.m_header;
    if (std::memcmp(header.magic, formats::kArenaMagic, sizeof(header.magic)) != 0 ||
        header.version != formats::kArenaVersion) {
        return notAnArena(path, "its layout is of another version of vramscope");
    }
    // Read once: the job could change them later.
    view.m_laneCount = header.laneCount;
    view.m_segmentCount = header.segmentCount;
    view.m_nodeCount = header.stackNodeCapacity;
    auto* base = static_cast<char*>(memory);
    if (!fits(header.lanesOffset, view.m_laneCount, sizeof(formats::Lane), view.m_bytes) ||
        !fits(header.stackNodesOffset, view.m_nodeCount, sizeof(formats::StackNode), view.m_bytes) ||
        !fits(header.segmentsOffset, view.m_segmentCount, formats::kSegmentBytes, view.m_bytes) ||
        header.lanesOffset % alignof(formats::Lane) != 0 || header.stackNodesOffset % 16 != 0 ||
        header.segmentsOffset % formats::kSlotBytes != 0) {
        return notAnArena(path, "its header points outside the file");
    }
    view.m_lanes = reinterpret_cast<formats::Lane*>(base + header.lanesOffset);
    view.m_nodes = reinterpret_cast<const formats::StackNode*>(base + header.stackNodesOffset);
    view.m_segments = base + header.segmentsOffset;
    return view;
}

ArenaView::ArenaView(ArenaView&& other) noexcept {
    *this = std::move(other);
}

ArenaView& ArenaView::operator=(ArenaView&& other) noexcept {
    std::swap(m_path, other.m_path);
    std::swap(m_header, other.m_header);
    std::swap(m_lanes, other.m_lanes);
    std::swap(m_nodes, other.m_nodes);
    std::swap(m_segments, other.m_segments);
    std::swap(m_bytes, other.m_bytes);
    std::swap(m_laneCount, other.m_laneCount);
    std::swap(m_segmentCount, other.m_segmentCount);
    std::swap(m_nodeCount, other.m_nodeCount);
    return *this;
}

ArenaView::~ArenaView() {
    if (m_header != nullptr) ::munmap(m_header, m_bytes);
}

formats::SegmentHeader* ArenaView::segment(std::uint32_t index) {
    if (index >= m_segmentCount) return nullptr;
    return reinterpret_cast<formats::SegmentHeader*>(m_segments +
                                                     std::uint64_t{index} * formats::kSegmentBytes);
}

const formats::Record* ArenaView::slot(std::uint32_t segmentIndex, std::uint32_t slotIndex) {
    return reinterpret_cast<const formats::Record*>(segment(segmentIndex)) + slotIndex;
}

std::optional<formats::StackNode> ArenaView::stackNode(std::uint32_t id) const {
    if (id >= m_nodeCount) return std::nullopt;
    return m_nodes[id];
}

void ArenaView::freeSegment(std::uint32_t index) {
    formats::SegmentHeader* freed = segment(index);
    if (freed == nullptr) return;
    auto& head = m_header->freeSegments;
    std::uint64_t seen = head.load(std::memory_order_relaxed);
    for (;;) {
        freed->next.store(static_cast<std::uint32_t>(seen), std::memory_order_relaxed);
        const std::uint64_t wanted = (((seen >> 32) + 1) << 32) | index;
        if (head.compare_exchange_weak(seen, wanted, std::memory_order_release, std::memory_order_relaxed))
            return;
    }
}

}  // namespace vramscope::collector
