// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/lane_writer.h"

#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/inject/cancellation_guard.h"
#include "collector/inject/clock.h"

namespace vramscope::collector {

constinit thread_local ThreadState t_thread{};
constinit std::atomic<void (*)(ThreadState&)> g_onThreadStart{nullptr};

namespace {

using formats::Lane;
using formats::LaneState;
using formats::SegmentHeader;

constexpr std::uint64_t kMaxWaitNs = 1'000'000;  // one call waits at most 1 ms
constexpr std::uint64_t kRecorderSilenceNs = 2'000'000'000;

PrivateLane* g_privateLanes = nullptr;
pthread_key_t g_threadEndKey;
bool g_threadEndKeyMade = false;

SegmentHeader* segmentAt(std::uint32_t index) {
    formats::ArenaHeader& arena = *g_collector.arena;
    return reinterpret_cast<SegmentHeader*>(reinterpret_cast<char*>(&arena) + arena.segmentsOffset +
                                            std::uint64_t{index} * formats::kSegmentBytes);
}

// Treiber stack. The counter in the high half makes a head that was popped and pushed back in between look
// different.
std::uint32_t popFreeSegment() {
    auto& head = g_collector.arena->freeSegments;
    std::uint64_t seen = head.load(std::memory_order_acquire);
    for (;;) {
        const auto index = static_cast<std::uint32_t>(seen);
        if (index == formats::kNoSegment) return index;
        const std::uint64_t next = segmentAt(index)->next.load(std::memory_order_relaxed);
        const std::uint64_t wanted = (((seen >> 32) + 1) << 32) | next;
        if (head.compare_exchange_weak(seen, wanted, std::memory_order_acquire)) return index;
    }
}

bool recorderIsGone(std::uint64_t now) {
    const formats::ArenaHeader& arena = *g_collector.arena;
    std::uint64_t seen = arena.recorderSeenNs.load(std::memory_order_relaxed);
    if (seen == 0) seen = g_collector.attachNs;
    if (now < seen + kRecorderSilenceNs) return false;
    const auto pid = static_cast<pid_t>(arena.recorderPid.load(std::memory_order_relaxed));
    return pid != 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

// The slow path of a full ring. A wait is bounded twice: by the call, and by one percent of the time since
// recording began, so that a recorder which cannot keep up costs the job at most that.
std::uint32_t waitForSegment(ThreadState& thread) {
    const CancellationGuard noCancellation;
    const std::uint64_t start = monotonicNs();
    if (recorderIsGone(start)) {
        countDrop(formats::DropReason::RecorderDied);
        turnOff("the recorder has died");
        return formats::kNoSegment;
    }
    if (g_collector.config.onFull == OnFull::Drop) return formats::kNoSegment;
    if (thread.waitedNs > (start - g_collector.attachNs) / 100) return formats::kNoSegment;

    std::uint32_t index = formats::kNoSegment;
    std::uint64_t now = start;
    while (index == formats::kNoSegment && now < start + kMaxWaitNs) {
        const timespec pause{0, 50'000};
        ::nanosleep(&pause, nullptr);
        index = popFreeSegment();
        now = monotonicNs();
    }
    thread.waitedNs += now - start;
    return index;
}

std::uint32_t takeSegment(ThreadState& thread, std::uint64_t firstPosition) {
    std::uint32_t index = popFreeSegment();
    if (index == formats::kNoSegment) index = waitForSegment(thread);
    if (index == formats::kNoSegment) return index;
    SegmentHeader* segment = segmentAt(index);
    segment->next.store(formats::kNoSegment, std::memory_order_relaxed);
    segment->publishedSlots.store(1, std::memory_order_relaxed);
    segment->firstPosition = firstPosition;
    return index;
}

Lane* laneAt(std::uint32_t index) {
    formats::ArenaHeader& arena = *g_collector.arena;
    return reinterpret_cast<Lane*>(reinterpret_cast<char*>(&arena) + arena.lanesOffset) + index;
}

// Scans from a place of the thread's own, so that threads which start together do not fight over lane 0.
Lane* findFreeLane(std::uint32_t tid, std::uint32_t& index) {
    const std::uint32_t count = g_collector.arena->laneCount;
    for (std::uint32_t i = 0; i < count; ++i) {
        index = (tid + i) % count;
        Lane* lane = laneAt(index);
        auto expected = static_cast<std::uint32_t>(LaneState::Free);
        if (lane->state.load(std::memory_order_relaxed) == expected &&
            lane->state.compare_exchange_strong(expected, static_cast<std::uint32_t>(LaneState::Taken),
                                                std::memory_order_acquire)) {
            return lane;
        }
    }
    return nullptr;
}

void writeThreadStart(ThreadState& thread) {
    formats::Record* record = reserve(thread, 1);
    if (record == nullptr) return;
    record->header.type = static_cast<std::uint16_t>(formats::RecordType::ThreadStart);
    record->header.slotCount = 1;
    record->header.enterTicks = record->header.exitTicks = nowTicks();
    record->thread.tid = thread.lane->tid;
    ::prctl(PR_GET_NAME, record->thread.name, 0, 0, 0);
    publish(thread, 1);
}

bool rentLane(ThreadState& thread) {
    const auto tid = static_cast<std::uint32_t>(::syscall(SYS_gettid));
    std::uint32_t index = 0;
    Lane* lane = findFreeLane(tid, index);
    if (lane == nullptr) return false;
    const std::uint32_t segment = takeSegment(thread, 0);
    if (segment == formats::kNoSegment) {
        lane->state.store(static_cast<std::uint32_t>(LaneState::Free), std::memory_order_release);
        return false;
    }
    thread.privateLane = g_privateLanes + index;
    std::memset(static_cast<void*>(thread.privateLane), 0, sizeof(PrivateLane));
    lane->tid = tid;
    lane->firstSegment = segment;
    thread.segment = reinterpret_cast<char*>(segmentAt(segment));
    thread.slot = 1;
    lane->sinceTicks.store(formats::kSinceIdle, std::memory_order_relaxed);
    lane->generation.fetch_add(1, std::memory_order_relaxed);
    lane->state.store(static_cast<std::uint32_t>(LaneState::Rented), std::memory_order_release);
    // Last: a signal handler of the job that records something must not find half a state.
    thread.lane = lane;
    // Any non-null value makes the destructor run when this thread ends.
    ::pthread_setspecific(g_threadEndKey, &t_thread);
    writeThreadStart(thread);
    if (auto* tell = g_onThreadStart.load(std::memory_order_relaxed)) tell(thread);
    return true;
}

void onThreadEnd(void* /*state*/) {
    closeCurrentLane();
}

}  // namespace

bool prepareLanes() {
    const std::size_t bytes = g_collector.arena->laneCount * sizeof(PrivateLane);
    void* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    g_privateLanes = static_cast<PrivateLane*>(memory);
    if (!g_threadEndKeyMade) g_threadEndKeyMade = ::pthread_key_create(&g_threadEndKey, onThreadEnd) == 0;
    return g_threadEndKeyMade;
}

ThreadState* startThread(std::uint32_t epoch) {
    ThreadState& thread = t_thread;
    if (thread.epoch == epoch) {
        if (thread.inside) return nullptr;
        // All lanes or segments were taken a moment ago; looking again at every call would cost more than it
        // brings.
        if (thread.callsUntilRetry > 0) {
            --thread.callsUntilRetry;
            return nullptr;
        }
    }
    const std::uint64_t waitedNs = thread.epoch == epoch ? thread.waitedNs : 0;
    thread = ThreadState{};
    thread.epoch = epoch;
    thread.waitedNs = waitedNs;
    const CancellationGuard noCancellation;
    if (rentLane(thread)) return &thread;
    constexpr std::uint16_t kRetryEvery = 64;
    thread.callsUntilRetry = kRetryEvery;
    return nullptr;
}

void closeCurrentLane() {
    ThreadState& thread = t_thread;
    if (thread.lane == nullptr || !isRecording()) return;
    if (thread.epoch != g_hot.epoch.load(std::memory_order_relaxed)) return;
    formats::Lane* lane = thread.lane;
    thread = ThreadState{};
    lane->sinceTicks.store(formats::kSinceIdle, std::memory_order_relaxed);
    lane->state.store(static_cast<std::uint32_t>(LaneState::Closed), std::memory_order_release);
}

bool advanceSegment(ThreadState& thread) {
    auto* full = reinterpret_cast<SegmentHeader*>(thread.segment);
    const std::uint32_t index = takeSegment(thread, full->firstPosition + thread.slot - 1);
    if (index == formats::kNoSegment) {
        countDrop(formats::DropReason::RingFull);
        return false;
    }
    // After this store the old segment belongs to the recorder.
    full->next.store(index, std::memory_order_release);
    thread.segment = reinterpret_cast<char*>(segmentAt(index));
    thread.slot = 1;
    return true;
}

formats::Record* reserve(ThreadState& thread, std::uint32_t slots) {
    formats::Record* record = reserveUncleared(thread, slots);
    if (record != nullptr) std::memset(static_cast<void*>(record), 0, slots * formats::kSlotBytes);
    return record;
}

std::uint64_t announceMutation(ThreadState& thread) {
    // Sequentially consistent: the recorder that sees this lane idle must have looked before the clock below
    // is read.
    thread.lane->sinceTicks.store(formats::kSinceEntering, std::memory_order_seq_cst);
    const std::uint64_t now = nowTicks();
    thread.lane->sinceTicks.store(now, std::memory_order_release);
    return now;
}

}  // namespace vramscope::collector
