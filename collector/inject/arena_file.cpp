// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/arena_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "collector/inject/clock.h"
#include "collector/inject/process_identity.h"

namespace vramscope::collector {

namespace {

using formats::ArenaHeader;

constexpr std::uint64_t kMaxArenaBytes = 64ull << 20;
constexpr std::uint64_t kMinArenaBytes = 1ull << 20;
constexpr std::uint32_t kMaxLanes = 2048;

std::uint64_t freeBytesOf(const char* directory) {
    struct statvfs info;
    if (::statvfs(directory, &info) != 0) return 0;
    return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

std::uint64_t chooseBytes(const Config& config, const char* directory) {
    std::uint64_t bytes = config.ringBytes != 0 ? config.ringBytes : kMaxArenaBytes;
    // Others live in the same tmpfs: containers often give it 64 MiB for everybody.
    const std::uint64_t quarter = freeBytesOf(directory) / 4;
    if (bytes > quarter) bytes = quarter;
    // Growing a file past this limit would not fail but kill the job (SIGXFSZ).
    rlimit most{};
    if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && bytes > most.rlim_cur) bytes = most.rlim_cur;
    return bytes & ~(formats::kSegmentBytes - 1ull);
}

void* allocateFile(const char* directory, std::uint64_t bytes) {
    char path[320];
    std::snprintf(path, sizeof(path), "%s/preparing-%d", directory, ::getpid());
    const int file = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return nullptr;
    // A sparse file would turn a full tmpfs into SIGBUS inside the job; this makes it an error here and now.
    const int error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
    void* memory = MAP_FAILED;
    if (error == 0) memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    // The mapping keeps the file alive: a job that closes every descriptor does not hurt us.
    ::close(file);
    if (memory == MAP_FAILED) {
        ::unlink(path);
        errno = error != 0 ? error : errno;
        return nullptr;
    }
    // A forked child must not write into its parent's rings.
    ::madvise(memory, bytes, MADV_DONTFORK);
    return memory;
}

void layOut(ArenaHeader& header, std::uint64_t bytes) {
    std::memcpy(header.magic, formats::kArenaMagic, sizeof(header.magic));
    header.version = formats::kArenaVersion;
    header.arenaBytes = bytes;
    header.stackNodeCapacity = static_cast<std::uint32_t>(bytes / 8 / sizeof(formats::StackNode));
    const std::uint64_t segmentsWanted = bytes / formats::kSegmentBytes;
    header.laneCount = segmentsWanted < kMaxLanes ? static_cast<std::uint32_t>(segmentsWanted) : kMaxLanes;
    header.lanesOffset = formats::kArenaHeaderBytes;
    header.stackNodesOffset = header.lanesOffset + header.laneCount * sizeof(formats::Lane);
    const std::uint64_t end =
        header.stackNodesOffset + std::uint64_t{header.stackNodeCapacity} * sizeof(formats::StackNode);
    header.segmentsOffset = (end + formats::kSegmentBytes - 1) & ~(formats::kSegmentBytes - 1ull);
    header.segmentCount =
        static_cast<std::uint32_t>((bytes - header.segmentsOffset) / formats::kSegmentBytes);
}

// All segments start on the free list, in address order, so that a short job touches few pages.
void linkFreeSegments(ArenaHeader& header) {
    auto* base = reinterpret_cast<char*>(&header) + header.segmentsOffset;
    for (std::uint32_t i = 0; i < header.segmentCount; ++i) {
        auto* segment = ::new (base + std::uint64_t{i} * formats::kSegmentBytes) formats::SegmentHeader{};
        segment->next.store(i + 1 < header.segmentCount ? i + 1 : formats::kNoSegment,
                            std::memory_order_relaxed);
    }
    header.freeSegments.store(0, std::memory_order_relaxed);
}

void* allocateSomewhere(const Config& config, std::uint64_t& bytes, char* reason, std::size_t reasonBytes) {
    int firstError = 0;
    for (const char* directory : {config.sessionDirectory, config.fallbackDirectory}) {
        if (directory[0] == '\0') continue;
        errno = 0;
        bytes = chooseBytes(config, directory);
        if (bytes >= kMinArenaBytes) {
            if (void* memory = allocateFile(directory, bytes)) return memory;
        } else if (errno == 0) {
            errno = ENOSPC;
        }
        if (firstError == 0) firstError = errno;
    }
    char text[64];
    const char* why = ::strerror_r(firstError, text, sizeof(text));
    if (config.ringBytes != 0 && config.ringBytes < kMinArenaBytes) {
        std::snprintf(reason, reasonBytes, "a ring of %llu bytes is too small, it needs 1 MiB",
                      static_cast<unsigned long long>(config.ringBytes));
    } else {
        std::snprintf(reason, reasonBytes, "no room for its ring in %s (%s)", config.sessionDirectory, why);
    }
    return nullptr;
}

}  // namespace

formats::ArenaHeader* createArena(const Config& config, char* reason, std::size_t reasonBytes) {
    std::uint64_t bytes = 0;
    void* memory = allocateSomewhere(config, bytes, reason, reasonBytes);
    if (memory == nullptr) return nullptr;

    auto* header = ::new (memory) ArenaHeader{};
    layOut(*header, bytes);
    for (std::uint32_t i = 0; i < header->laneCount; ++i) {
        ::new (static_cast<char*>(memory) + header->lanesOffset + i * sizeof(formats::Lane)) formats::Lane{};
    }
    linkFreeSegments(*header);
    header->stackNodeCount.store(1, std::memory_order_relaxed);
    describeProcess(*header);
    header->attachMonotonicNs = monotonicNs();
    header->attachTicks = nowTicks();
    header->clockKind = config.clockKind;
    timespec now;
    ::clock_gettime(CLOCK_REALTIME, &now);
    header->attachRealtimeNs =
        static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
    return header;
}

bool publishArena(const Config& config, const formats::ArenaHeader& header) {
    for (const char* directory : {config.sessionDirectory, config.fallbackDirectory}) {
        if (directory[0] == '\0') continue;
        char from[320];
        char to[320];
        std::snprintf(from, sizeof(from), "%s/preparing-%u", directory, header.pid);
        std::snprintf(to, sizeof(to), "%s/arena-%u-%llu-%llu", directory, header.pid,
                      static_cast<unsigned long long>(header.startTicks),
                      static_cast<unsigned long long>(header.attachTicks));
        if (::rename(from, to) == 0) return true;
    }
    return false;
}

}  // namespace vramscope::collector
