// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "collector/inject/lane_writer.h"

namespace vramscope::bench {

/// How a step of the job is made up, out of 1,000 events. What is left are synchronisations.
struct JobMix {
    int launches = 700;    ///< with 0 to 8 pointers, four on average
    int allocations = 60;  ///< stream-ordered; as many frees
    int copies = 60;
    int sets = 20;
    /// Of the launches: those that are given a block allocated in this step, hence arguments never seen
    /// before.
    int launchesOnNewBlocks = 120;
};

/// A training job on a stream-ordered allocator, as its records: two threads, four streams, 200 kernels, 90
/// buffers that stay and `liveBlocks` that come and go at the same addresses, steps of 1,000 events that
/// repeat. Writes through the collector's own lanes into the arena in use. Deterministic.
class TorchLikeJob {
public:
    explicit TorchLikeJob(std::size_t liveBlocks = 2000, JobMix mix = {});

    /// Context, streams, kernel names and the buffers that stay. Before the first write().
    void begin(std::uint64_t nowTicks);

    /// The next `count` events, spread evenly over the ticks given. Events for which the ring has no room are
    /// lost, as in the collector.
    void write(std::size_t count, std::uint64_t firstTicks, std::uint64_t endTicks);

private:
    enum class Kind : std::uint8_t { Launch, Allocate, Free, Copy, Set, Sync };
    struct Step {
        Kind kind = Kind::Sync;
        std::uint8_t lane = 0;
        std::uint8_t stream = 0;
        bool usesNewBlock = false;
        std::uint16_t choice = 0;              ///< kernel, or which kind of copy or synchronisation
        std::vector<std::uint64_t> arguments;  ///< packed words
    };

    std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(m_random() % below); }
    Step makeStep(Kind kind, int index, const JobMix& mix);
    void makeStacks();
    void writeStep(const Step& step, std::uint64_t enterTicks, std::uint64_t exitTicks);
    void writeLaunch(const Step& step, formats::Record* record);
    void writeAllocation(std::uint64_t address, const Step& step, formats::Record* record);
    formats::Record* start(formats::RecordType type, std::uint16_t api, std::uint32_t slots = 1);
    void finish(std::uint32_t slots);

    std::mt19937 m_random{1};
    std::vector<Step> m_steps;
    std::size_t m_position = 0;
    std::vector<std::uint32_t> m_stacks;
    std::deque<std::uint64_t> m_freeBlocks;
    std::deque<std::uint64_t> m_liveBlocks;
    std::size_t m_wantedLive;
    collector::ThreadState m_lanes[2]{};
    std::uint64_t m_enterTicks = 0;
    std::uint64_t m_exitTicks = 0;
};

}  // namespace vramscope::bench
