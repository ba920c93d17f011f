// SPDX-License-Identifier: Apache-2.0
// The ring alone: threads write launches of two slots through their lanes, one thread reads them and gives
// the memory back. Processor time of either side, by event.
#include <atomic>
#include <benchmark/benchmark.h>
#include <chrono>
#include <thread>
#include <vector>

#include "collector/inject/collector.h"
#include "collector/inject/lane_writer.h"
#include "collector/recorder/lane_reader.h"
#include "tests/bench/processor_time.h"
#include "tests/collector/recorded_arena.h"

namespace vramscope::bench {
namespace {

using namespace collector;

constexpr std::uint64_t kEventsPerRound = 2'000'000;
constexpr std::uint32_t kSlots = 2;

bool writeLaunch(ThreadState& thread, std::uint64_t number) {
    formats::Record* record = reserveUncleared(thread, kSlots);
    if (record == nullptr) return false;
    record->header = {
        static_cast<std::uint16_t>(formats::RecordType::Launch), 0, kSlots, 0, 0, number, number, 0, 1};
    record->launch = {number, number, 1, 1, 1, 0};
    auto* words = reinterpret_cast<std::uint64_t*>(record + 1);
    for (std::uint64_t i = 0; i < 8; ++i)
        words[i] = number + i;
    publish(thread, kSlots);
    return true;
}

// Writes `count` events and adds what they cost to `cost`. A full ring is the reader's slowness, so it is
// waited out.
void produce(std::uint64_t count, std::atomic<std::uint64_t>& cost) {
    ThreadState* thread = currentThread();
    const std::uint64_t start = threadNs();
    std::uint64_t waited = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        while (!writeLaunch(*thread, i)) {
            const std::uint64_t before = threadNs();
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            waited += threadNs() - before;
        }
    }
    cost += threadNs() - start - waited;
    closeCurrentLane();
}

// Reads until `count` events came; returns what that cost.
std::uint64_t consume(std::vector<LaneReader>& lanes, std::uint64_t count) {
    PendingQueue<PendingRecord> pending;
    const std::uint64_t start = threadNs();
    for (std::uint64_t seen = 0; seen < count;) {
        std::uint64_t before = seen;
        for (LaneReader& lane : lanes) {
            if (!lane.fetch(pending)) continue;
            for (const PendingRecord& record : pending) {
                benchmark::DoNotOptimize(record.record->launch.function);
                seen += record.slotCount == kSlots ? 1 : 0;
            }
            pending.clear();
            lane.release(lane.fetchedPosition());
        }
        if (seen == before) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return threadNs() - start;
}

void ring(benchmark::State& state) {
    const auto threads = static_cast<std::uint64_t>(state.range(0));
    tests::RecordedArena arena(64 << 20);
    g_collector.config.onFull = OnFull::Drop;
    StatusOr<ArenaView> view = ArenaView::open(arena.file());
    if (!view.isOk()) return state.SkipWithError(view.status().message().c_str());
    std::vector<LaneReader> lanes;
    for (std::uint32_t lane = 0; lane < view->laneCount(); ++lane)
        lanes.emplace_back(*view, lane);
    arena.start();
    std::atomic<std::uint64_t> writeNs{0};
    std::uint64_t readNs = 0;
    for (auto _ : state) {
        std::vector<std::thread> producers;
        for (std::uint64_t i = 0; i < threads; ++i)
            producers.emplace_back([&] { produce(kEventsPerRound / threads, writeNs); });
        readNs += consume(lanes, kEventsPerRound);
        for (std::thread& producer : producers)
            producer.join();
        // The threads have ended; their lanes go back.
        PendingQueue<PendingRecord> rest;
        for (LaneReader& lane : lanes) {
            if (lane.fetch(rest)) lane.release(lane.fetchedPosition());
        }
    }
    const double events = static_cast<double>(state.iterations()) * kEventsPerRound;
    state.counters["events/s"] = benchmark::Counter(events, benchmark::Counter::kIsRate);
    state.counters["write_ns"] = static_cast<double>(writeNs) / events;
    state.counters["read_ns"] = static_cast<double>(readNs) / events;
}
BENCHMARK(ring)->ArgName("threads")->Arg(1)->Arg(4)->UseRealTime()->Iterations(3)->Unit(
    benchmark::kMillisecond);

}  // namespace
}  // namespace vramscope::bench

BENCHMARK_MAIN();
