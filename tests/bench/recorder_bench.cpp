// SPDX-License-Identifier: Apache-2.0
// What an event costs the recorder, from the ring to the committed capture, in processor time on one core.
#include <benchmark/benchmark.h>
#include <string>

#include "tests/bench/processor_time.h"
#include "tests/bench/recorder_rig.h"
#include "tests/bench/resident_memory.h"

namespace vramscope::bench {
namespace {

constexpr std::size_t kEventsPerRound = 400'000;

void recordJob(benchmark::State& state, JobMix mix) {
    stayOnThisProcessor();
    RecorderRig rig(2000, mix);
    rig.record(kEventsPerRound);  // first sights: streams, kernels, stacks, argument sets
    RecorderRig::Cost sum;
    for (auto _ : state) {
        const RecorderRig::Cost cost = rig.record(kEventsPerRound);
        state.SetIterationTime(static_cast<double>(cost.resolveNs + cost.commitNs) * 1e-9);
        sum.events += cost.events;
        sum.resolveNs += cost.resolveNs;
        sum.commitNs += cost.commitNs;
    }
    if (rig.lost() != 0) state.SkipWithError("the ring overflowed");
    const auto events = static_cast<double>(sum.events);
    state.counters["resolve_ns"] = static_cast<double>(sum.resolveNs) / events;
    state.counters["commit_ns"] = static_cast<double>(sum.commitNs) / events;
    state.counters["ns/event"] = static_cast<double>(sum.resolveNs + sum.commitNs) / events;
    state.counters["events/s"] = events * 1e9 / static_cast<double>(sum.resolveNs + sum.commitNs);
    state.counters["B/event"] = static_cast<double>(rig.captureBytes()) / (events + kEventsPerRound);
}

void torchLike(benchmark::State& state) {
    recordJob(state, {});
}
/// PyTorch's caching allocator: the driver sees few allocations, and arguments repeat.
void cachingAllocator(benchmark::State& state) {
    recordJob(state, {.launches = 940, .allocations = 1, .copies = 10, .sets = 8, .launchesOnNewBlocks = 4});
}
/// Arguments that no launch had before, for each launch.
void freshArguments(benchmark::State& state) {
    recordJob(state, {.launchesOnNewBlocks = 700});
}

/// The recorder's memory after so many events, while the number of live buffers stays the same.
void memory(benchmark::State& state) {
    RecorderRig rig;
    for (auto _ : state) {
        double recorded = 0;
        for (const double millions : {1.0, 2.0, 4.0, 7.0, 10.0}) {
            rig.record(static_cast<std::size_t>((millions - recorded) * 1e6));
            recorded = millions;
            state.counters["MiB_at_" + std::to_string(static_cast<int>(millions)) + "M"] = residentMiB();
        }
    }
    if (rig.lost() != 0) state.SkipWithError("the ring overflowed");
}

BENCHMARK(memory)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(torchLike)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK(cachingAllocator)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK(freshArguments)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vramscope::bench

BENCHMARK_MAIN();
