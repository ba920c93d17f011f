// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/inject/collector.h"
#include "formats/arena.h"

namespace vramscope::collector {

/// Stacks this thread took before, by a 64-bit hash of all their addresses. Two different stacks share a hash
/// once in 2^64; the price of comparing every address on each allocation buys nothing against that.
struct StackCacheEntry {
    std::uint64_t hash;
    std::uint32_t stackId;
    std::uint32_t unused;
};
inline constexpr std::size_t kStackCacheEntries = 256;

/// What a thread keeps in private memory beside its lane.
struct PrivateLane {
    StackCacheEntry stacks[kStackCacheEntries];
};

/// A thread's own state. Zero-initialised thread-local storage: no constructor runs in the job's threads. The
/// first line of cache holds what a launch needs.
struct alignas(64) ThreadState {
    std::uint32_t epoch;  ///< HotData::epoch that the pointers below belong to
    std::uint32_t slot;   ///< next slot in `segment`
    char* segment;        ///< the segment being filled
    formats::Lane* lane;
    PrivateLane* privateLane;
    bool inside;                     ///< our own code is running: calls it makes are not the job's
    bool creatingContext;            ///< inside cuCtxCreate: a context made now is not a primary one
    bool launching;                  ///< inside a launch that our hook records (launch_hooks.h)
    std::uint8_t callDepth;          ///< lifetime-ending calls in progress: some call others
    std::uint16_t callsUntilRetry;   ///< without a lane: calls to let pass before looking for one again
    std::uint16_t runtimeApi;        ///< runtime call in progress that reached no driver call yet, 0 none
    std::uint32_t launchContextUid;  ///< while launching: the context, 0 when CUPTI alone can tell
    std::uint32_t addedBytes;        ///< inside a guarded allocation: bytes that we asked for beyond those
    std::uint64_t stackLow;          ///< bounds of the thread's stack, 0 until known
    std::uint64_t stackHigh;
    std::uint64_t requestedBytes;  ///< inside a guarded allocation: what the job asked for, else 0
    std::uint64_t waitedNs;        ///< time spent waiting for a free segment
};

/// Maps the private halves of the lanes. Called once before recording starts.
bool prepareLanes();

extern constinit thread_local ThreadState t_thread;

/// What else is to be told when a thread has told that it is there; null: nothing. Called with its state.
extern constinit std::atomic<void (*)(ThreadState&)> g_onThreadStart;

/// Makes the calling thread's state anew and rents a lane; null when none is free. The one place with a
/// system call: a thread's first event.
ThreadState* startThread(std::uint32_t epoch);

/// This thread's state, or null when nothing can be recorded: recording is off, no lane is free, or our own
/// code is running in it.
inline ThreadState* currentThread() {
    const std::uint32_t epoch = g_hot.epoch.load(std::memory_order_relaxed);
    ThreadState& thread = t_thread;
    if (thread.epoch != epoch || thread.lane == nullptr) return epoch != 0 ? startThread(epoch) : nullptr;
    return thread.inside ? nullptr : &thread;
}

/// Gives the calling thread's lane back; the recorder drains what is in it. Called when the thread ends.
void closeCurrentLane();

/// Makes room for `slots` consecutive slots in a fresh segment; false if the ring is full (counted as one
/// lost event).
bool advanceSegment(ThreadState& thread);

/// Room for a record of at most `slots` consecutive slots, holding old bytes; null if the ring is full
/// (counted). At most one reservation a thread may be open; what is used of it becomes visible with
/// publish().
inline formats::Record* reserveUncleared(ThreadState& thread, std::uint32_t slots) {
    if (thread.slot + slots > formats::kSegmentSlots && !advanceSegment(thread)) return nullptr;
    return reinterpret_cast<formats::Record*>(thread.segment) + thread.slot;
}

/// The same, zeroed.
formats::Record* reserve(ThreadState& thread, std::uint32_t slots);

/// Shows the first `slots` reserved slots to the recorder.
inline void publish(ThreadState& thread, std::uint32_t slots) {
    thread.slot += slots;
    reinterpret_cast<formats::SegmentHeader*>(thread.segment)
        ->publishedSlots.store(thread.slot, std::memory_order_release);
}

/// Fetches what the next record will touch into the cache, while the driver does its own work.
inline void prefetchNextRecord(const ThreadState& thread) {
    const char* next = thread.segment + std::size_t{thread.slot} * formats::kSlotBytes;
    __builtin_prefetch(thread.segment, 1);
    __builtin_prefetch(next, 1);
    __builtin_prefetch(next + formats::kSlotBytes, 1);
    __builtin_prefetch(next + 2 * formats::kSlotBytes, 1);
}

/// Announces that a call which may end lifetimes is in progress, and returns its enter stamp. The
/// announcement is visible to the recorder before the clock is read (see kSinceEntering).
std::uint64_t announceMutation(ThreadState& thread);

/// The call is over and its record, if any, published.
inline void announceIdle(ThreadState& thread) {
    thread.lane->sinceTicks.store(formats::kSinceIdle, std::memory_order_release);
}

}  // namespace vramscope::collector
