// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/lane_writer.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "collector/inject/clock.h"

namespace vramscope::collector {

namespace {

using formats::Lane;
using formats::LaneState;
using formats::SegmentHeader;

constexpr std::uint64_t kMaxWaitNs = 1'000'000;       // one call waits at most 1 ms
constexpr std::uint64_t kRecorderSilenceNs = 2'000'000'000;

thread_local ThreadState t_thread;
PrivateLane* g_privateLanes = nullptr;
pthread_key_t g_threadEndKey;
bool g_threadEndKeyMade = false;

SegmentHeader* segmentAt(std::uint32_t index) {
    formats::ArenaHeader& arena = *g_collector.arena;
    return reinterpret_cast<SegmentHeader*>(reinterpret_cast<char*>(&arena) + arena.segmentsOffset +
                                            std::uint64_t{index} * formats::kSegmentBytes);
}

// Treiber stack. The counter in the high half makes a head that was popped and pushed back in between look different.
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

// The slow path of a full ring. A wait is bounded twice: by the call, and by one percent of the time since recording
// began, so that a recorder which cannot keep up costs the job at most that.
std::uint32_t waitForSegment(ThreadState& thread) {
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

bool advanceSegment(ThreadState& thread) {
    Lane& lane = *thread.lane;
    const std::uint64_t position = segmentAt(lane.currentSegment)->firstPosition + lane.currentSlot - 1;
    const std::uint32_t index = takeSegment(thread, position);
    if (index == formats::kNoSegment) return false;
    // After this store the old segment belongs to the recorder.
    segmentAt(lane.currentSegment)->next.store(index, std::memory_order_release);
    lane.currentSegment = index;
    lane.currentSlot = 1;
    return true;
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
    record->header.enterNs = record->header.exitNs = monotonicNs();
    record->thread.tid = thread.lane->tid;
    ::prctl(PR_GET_NAME, record->thread.name, 0, 0, 0);
    publish(thread, 1);
}

bool rentLane(ThreadState& thread) {
    const auto tid = static_cast<std::uint32_t>(::syscall(SYS_gettid));
    std::uint32_t index = 0;
    Lane* lane = findFreeLane(tid, index);
    if (lane == nullptr) return false;
    thread.lane = lane;
    thread.privateLane = g_privateLanes + index;
    const std::uint32_t segment = takeSegment(thread, 0);
    if (segment == formats::kNoSegment) {
        lane->state.store(static_cast<std::uint32_t>(LaneState::Free), std::memory_order_release);
        thread.lane = nullptr;
        return false;
    }
    std::memset(static_cast<void*>(thread.privateLane), 0, sizeof(PrivateLane));
    lane->tid = tid;
    lane->firstSegment = lane->currentSegment = segment;
    lane->currentSlot = 1;
    lane->sinceNs.store(formats::kSinceIdle, std::memory_order_relaxed);
    lane->generation.fetch_add(1, std::memory_order_relaxed);
    lane->state.store(static_cast<std::uint32_t>(LaneState::Rented), std::memory_order_release);
    // Any non-null value makes the destructor run when this thread ends.
    ::pthread_setspecific(g_threadEndKey, &t_thread);
    writeThreadStart(thread);
    return true;
}

void onThreadEnd(void* /*state*/) { closeCurrentLane(); }

ThreadState* startThread() {
    ThreadState& thread = t_thread;
    const std::uint32_t epoch = g_collector.control->epoch.load(std::memory_order_relaxed);
    thread = ThreadState{};
    thread.epoch = epoch;
    thread.noLane = !rentLane(thread);
    return thread.noLane ? nullptr : &thread;
}

}  // namespace

bool prepareLanes() {
    const std::size_t bytes = g_collector.arena->laneCount * sizeof(PrivateLane);
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    g_privateLanes = static_cast<PrivateLane*>(memory);
    if (!g_threadEndKeyMade) g_threadEndKeyMade = ::pthread_key_create(&g_threadEndKey, onThreadEnd) == 0;
    return g_threadEndKeyMade;
}

ThreadState* currentThread() {
    ThreadState& thread = t_thread;
    const std::uint32_t epoch = g_collector.control->epoch.load(std::memory_order_relaxed);
    if (__builtin_expect(static_cast<long>(thread.epoch == epoch && thread.lane != nullptr), 1) != 0) return &thread;
    if (thread.epoch == epoch && thread.inside) return nullptr;
    return startThread();
}

void closeCurrentLane() {
    ThreadState& thread = t_thread;
    if (thread.lane == nullptr || !isRecording()) return;
    if (thread.epoch != g_collector.control->epoch.load(std::memory_order_relaxed)) return;
    formats::Lane* lane = thread.lane;
    thread = ThreadState{};
    lane->sinceNs.store(formats::kSinceIdle, std::memory_order_relaxed);
    lane->state.store(static_cast<std::uint32_t>(LaneState::Closed), std::memory_order_release);
}

formats::Record* reserve(ThreadState& thread, std::uint32_t slots) {
    Lane& lane = *thread.lane;
    if (lane.currentSlot + slots > formats::kSegmentSlots && !advanceSegment(thread)) {
        countDrop(formats::DropReason::RingFull);
        return nullptr;
    }
    auto* record = reinterpret_cast<formats::Record*>(segmentAt(lane.currentSegment)) + lane.currentSlot;
    std::memset(static_cast<void*>(record), 0, slots * formats::kSlotBytes);
    return record;
}

void publish(ThreadState& thread, std::uint32_t slots) {
    Lane& lane = *thread.lane;
    lane.currentSlot += slots;
    segmentAt(lane.currentSegment)->publishedSlots.store(lane.currentSlot, std::memory_order_release);
}

std::uint64_t announceMutation(ThreadState& thread) {
    // Sequentially consistent: the recorder that sees this lane idle must have looked before the clock below is read.
    thread.lane->sinceNs.store(formats::kSinceEntering, std::memory_order_seq_cst);
    const std::uint64_t now = monotonicNs();
    thread.lane->sinceNs.store(now | formats::kSinceMutates, std::memory_order_release);
    return now;
}

std::uint64_t announceCall(ThreadState& thread) {
    const std::uint64_t now = monotonicNs();
    thread.lane->sinceNs.store(now & ~formats::kSinceMutates, std::memory_order_release);
    return now;
}

}  // namespace vramscope::collector
