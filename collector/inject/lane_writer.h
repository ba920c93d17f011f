// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/collector.h"
#include "formats/arena.h"

namespace vramscope::collector {

/// Stacks this thread took before, by a 64-bit hash of all their addresses. Two different stacks share a hash once in 2^64; the
/// price of comparing every address on each allocation buys nothing against that.
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

/// A thread's own state. Zero-initialised thread-local storage: no constructor runs in the job's threads.
struct ThreadState {
    std::uint32_t epoch;  ///< Collector epoch that the pointers below belong to
    bool inside;          ///< our own code is running: calls it makes are not the job's
    bool noLane;          ///< all lanes were taken; this thread's events are counted as lost
    std::uint16_t runtimeApi;    ///< runtime call in progress that reached no driver call yet, 0 none
    std::uint16_t callDepth;     ///< driver calls in progress: some call others
    bool creatingContext;        ///< inside cuCtxCreate: a context made now is not a primary one
    formats::Lane* lane;
    PrivateLane* privateLane;
    std::uint64_t waitedNs;      ///< time spent waiting for a free segment
    std::uint64_t stackLow;      ///< bounds of the thread's stack, 0 until known
    std::uint64_t stackHigh;
};

/// Maps the private halves of the lanes. Called once before recording starts.
bool prepareLanes();

/// This thread's state, with a lane rented if any is free. Null when its events cannot be recorded (counted as lost).
/// No lock and no system call but in a thread's first call.
ThreadState* currentThread();

/// Gives the calling thread's lane back; the recorder drains what is in it. Called when the thread ends.
void closeCurrentLane();

/// Room for a record of `slots` consecutive slots, zeroed; null if the ring is full (counted as one lost event). At most
/// one reservation a thread may be open; it becomes visible with publish().
formats::Record* reserve(ThreadState& thread, std::uint32_t slots);

/// Shows the reserved record to the recorder.
void publish(ThreadState& thread, std::uint32_t slots);

/// Announces that a call which may end lifetimes is in progress, and returns its enter stamp. The announcement is visible to the
/// recorder before the clock is read (see kSinceEntering).
std::uint64_t announceMutation(ThreadState& thread);

/// The same for a call that ends no lifetime: it only keeps the recorder from forgetting what the call may refer to.
std::uint64_t announceCall(ThreadState& thread);

/// The call is over and its record, if any, published.
inline void announceIdle(ThreadState& thread) {
    thread.lane->sinceNs.store(formats::kSinceIdle, std::memory_order_release);
}

}  // namespace vramscope::collector
