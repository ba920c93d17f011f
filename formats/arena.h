// SPDX-License-Identifier: Apache-2.0
#pragma once

// The shared memory between one job process and the recorder.
//
//   ArenaHeader | Lane x laneCount | StackNode x stackNodeCapacity | Segment x segmentCount
//
// Each job thread rents a lane. A lane is a queue of segments: the thread fills one, links the next, and
// never touches the old one again; the recorder reads what is published and gives used-up segments back to
// the free list. So one busy thread can use the whole arena, five hundred quiet ones need a segment each, and
// neither side takes a lock. All atomics are lock-free and address-free, so they work between processes. The
// file outlives both: after a kill the published part of every lane is still there.
//
// An arena's file is called arena-PID-START-ATTACH, with the numbers that its header has. Under the exact
// engine files code-PID-START-ATTACH-NUMBER lie beside it or in the session's other folder: images of modules
// that know their source lines.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "formats/job_clock.h"
#include "formats/record.h"

namespace vramscope::formats {

inline constexpr char kArenaMagic[8] = {'V', 'R', 'A', 'M', 'A', 'R', 'N', '1'};
/// Bumped whenever a layout in record.h or here changes.
inline constexpr std::uint32_t kArenaVersion = 5;
inline constexpr std::uint32_t kSegmentBytes = 16 * 1024;
inline constexpr std::uint32_t kSegmentSlots = kSegmentBytes / kSlotBytes;
/// Index that means "no segment".
inline constexpr std::uint32_t kNoSegment = 0xFFFF'FFFF;

enum class ArenaState : std::uint32_t {
    Preparing,  ///< being filled in; the recorder looks away
    Recording,
    Off,  ///< the collector turned itself off; offReason says why
};

/// How the process sees its calls.
enum class ArenaEngine : std::uint32_t { Cupti, Exact };

/// Reasons to lose an event; names are in the capture's table `drops`.
enum class DropReason : std::uint32_t {
    RingFull,
    TooManyThreads,
    StackTableFull,
    TextTooLong,
    RecorderDied,
    LaunchUnseen,  ///< a check found launches that came past the hook: each stands for any number before it
    Count
};
inline constexpr std::size_t kDropReasonCount = static_cast<std::size_t>(DropReason::Count);

struct DropCounter {
    std::atomic<std::uint64_t> count;
    std::atomic<std::uint64_t> firstTicks;
    std::atomic<std::uint64_t> lastTicks;
};

/// First page of an arena. Fields are written once before `state` leaves Preparing, unless atomic.
struct ArenaHeader {
    char magic[8];
    std::uint32_t version;
    std::uint32_t laneCount;
    std::uint32_t segmentCount;
    std::uint32_t stackNodeCapacity;
    std::uint64_t arenaBytes;
    std::uint64_t lanesOffset;
    std::uint64_t stackNodesOffset;
    std::uint64_t segmentsOffset;

    std::uint32_t pid;
    std::uint32_t parentPid;
    std::uint64_t startTicks;  ///< field 22 of /proc/PID/stat: with the pid it names the process for good
    ClockKind clockKind;       ///< what all ticks here and in records count
    std::uint64_t attachTicks;
    std::uint64_t attachMonotonicNs;
    std::uint64_t attachRealtimeNs;
    ArenaEngine engine;          ///< how calls are seen
    std::uint32_t cuptiVersion;  ///< 0 under another engine
    std::uint32_t driverVersion;
    std::int32_t rank;       ///< -1 when the environment names none
    std::int32_t localRank;  ///< likewise
    std::int32_t worldSize;  ///< likewise

    std::atomic<std::uint32_t> state;      ///< ArenaState
    std::atomic<std::int32_t> exitCode;    ///< status given to exit(), valid when exitTicks is not 0
    std::atomic<std::uint64_t> exitTicks;  ///< when exit handlers began to run, 0 before

    /// Head of the free list: segment index in the low half, a counter against ABA in the high half.
    alignas(64) std::atomic<std::uint64_t> freeSegments;
    /// Nodes in use. A node below this count may still be in the making; a node named by a published record
    /// is whole.
    alignas(64) std::atomic<std::uint32_t> stackNodeCount;
    /// Written by the recorder at least every 100 ms, so that a job with a full ring knows whether waiting
    /// can help.
    alignas(64) std::atomic<std::uint64_t> recorderSeenNs;
    std::atomic<std::uint32_t> recorderPid;

    alignas(64) DropCounter drops[kDropReasonCount];

    std::atomic<std::uint64_t> guardedBuffers;    ///< allocations that got guard bytes
    std::atomic<std::uint64_t> guardBytes;        ///< theirs, all together
    std::atomic<std::uint64_t> unguardedBuffers;  ///< that went without while guards were on
    std::atomic<std::uint64_t> watchedBuffers;    ///< allocations whose digests were taken (--watch)
    std::atomic<std::uint64_t> unwatchedBuffers;  ///< that the expression names and that could not be watched
    std::atomic<std::uint64_t> watchedCalls;      ///< launches with digests before and after them
    std::atomic<std::uint64_t> unwatchedCalls;    ///< launches that went without: no room, or a capture
    std::atomic<std::uint64_t> untoldChanges;     ///< changes beyond those that were told of a buffer

    std::atomic<std::uint64_t> markedLaunches;    ///< whose accesses the exact engine marks
    std::atomic<std::uint64_t> unmarkedLaunches;  ///< that went without under the exact engine

    char executable[512];
    char command[1024];
    char enginePath[512];
    char job[64];         ///< name of its --job, empty without one
    char offReason[512];  ///< set before `state` becomes Off
};
inline constexpr std::size_t kArenaHeaderBytes = 4096;
static_assert(sizeof(ArenaHeader) <= kArenaHeaderBytes);

enum class LaneState : std::uint32_t {
    Free,    ///< any thread may rent it
    Taken,   ///< a thread is filling in the fields below
    Rented,  ///< in use
    Closed,  ///< its thread ended; the recorder drains it and makes it Free
};

/// `sinceTicks` of a thread that is outside our callbacks.
inline constexpr std::uint64_t kSinceIdle = 0;
/// `sinceTicks` between announcing a call and having read the clock: the recorder must not conclude anything
/// from this lane yet.
inline constexpr std::uint64_t kSinceEntering = 1;

/// One thread's queue. Written by that thread except where stated.
struct alignas(128) Lane {
    std::atomic<std::uint32_t> state;       ///< LaneState
    std::atomic<std::uint32_t> generation;  ///< counts the threads that rented it
    std::atomic<std::uint64_t> sinceTicks;  ///< when the call in progress that may end lifetimes began:
                                            ///< nothing at or after it may be resolved yet
    std::uint32_t tid;
    std::uint32_t
        firstSegment;  ///< oldest segment of the queue; moved on by the recorder before it frees one
};
static_assert(sizeof(Lane) == 128);

/// One frame of a call stack: an address and the node of its caller. Node 0 is the empty stack.
struct StackNode {
    std::uint64_t address;
    std::uint32_t parent;
    std::uint32_t unused;
};
static_assert(sizeof(StackNode) == 16);

/// Slot 0 of a segment; slots 1 and up hold records.
struct SegmentHeader {
    std::atomic<std::uint32_t> publishedSlots;  ///< slots that the recorder may read, this header included
    std::atomic<std::uint32_t>
        next;  ///< following segment of the lane, or of the free list; kNoSegment at the end
    std::uint64_t
        firstPosition;  ///< slots that the lane published before this segment; written when it is linked
    std::uint32_t unused[12];
};
static_assert(sizeof(SegmentHeader) == kSlotBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace vramscope::formats
