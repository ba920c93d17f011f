// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <chrono>
#include <execinfo.h>

#include "collector/unwind/unwinder.h"

// Cost of a native stack, by depth: cached, with no rule cached, and by glibc for comparison. Every frame is
// a function of its own, as in a real program; recursion would need one rule for all of them.
namespace {

using vramscope::unwind::findStackBounds;
using vramscope::unwind::StackBounds;
using vramscope::unwind::Unwinder;

constexpr int kDeepest = 70;

using Leaf = void (*)(benchmark::State& state);

template <int Depth>
__attribute__((noinline)) void descend(Leaf leaf, benchmark::State& state) {
    volatile int keepsFrame = Depth;
    if constexpr (Depth == 0) {
        leaf(state);
    } else {
        descend<Depth - 1>(leaf, state);
    }
    keepsFrame = keepsFrame + 1;
}

void reportPerFrame(benchmark::State& state, size_t frames) {
    state.counters["frames"] = static_cast<double>(frames);
    state.counters["s/frame"] =
        benchmark::Counter(static_cast<double>(frames),
                           benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void warmLeaf(benchmark::State& state) {
    uint64_t addresses[kDeepest];
    const StackBounds bounds = findStackBounds();
    const auto wanted = static_cast<size_t>(state.range(0));
    size_t count = 0;
    for (auto _ : state) {
        count = Unwinder::processWide().unwind(addresses, wanted, bounds).count;
        benchmark::DoNotOptimize(addresses);
    }
    if (count != wanted) state.SkipWithError("the stack was cut short");
    reportPerFrame(state, wanted);
}

void coldLeaf(benchmark::State& state) {
    uint64_t addresses[kDeepest];
    const StackBounds bounds = findStackBounds();
    const auto wanted = static_cast<size_t>(state.range(0));
    size_t count = 0;
    for (auto _ : state) {
        Unwinder::processWide().dropRules();
        const auto start = std::chrono::steady_clock::now();
        count = Unwinder::processWide().unwind(addresses, wanted, bounds).count;
        const auto end = std::chrono::steady_clock::now();
        state.SetIterationTime(std::chrono::duration<double>(end - start).count());
    }
    if (count != wanted) state.SkipWithError("the stack was cut short");
    reportPerFrame(state, wanted);
}

void backtraceLeaf(benchmark::State& state) {
    void* addresses[kDeepest];
    const auto wanted = static_cast<int>(state.range(0));
    int count = 0;
    for (auto _ : state) {
        count = backtrace(addresses, wanted);
        benchmark::DoNotOptimize(addresses);
    }
    if (count != wanted) state.SkipWithError("the stack was cut short");
    reportPerFrame(state, static_cast<size_t>(wanted));
}

/// The first walk of the process: page faults on the tables included.
void firstUnwind(benchmark::State& state) {
    descend<kDeepest>(coldLeaf, state);
}
void warm(benchmark::State& state) {
    descend<kDeepest>(warmLeaf, state);
}
void cold(benchmark::State& state) {
    descend<kDeepest>(coldLeaf, state);
}
void glibcBacktrace(benchmark::State& state) {
    descend<kDeepest>(backtraceLeaf, state);
}
void stackBounds(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(findStackBounds());
}

BENCHMARK(firstUnwind)->Arg(66)->Iterations(1)->UseManualTime();
BENCHMARK(warm)->Arg(10)->Arg(20)->Arg(40)->Arg(66);
BENCHMARK(cold)->Arg(10)->Arg(20)->Arg(40)->Arg(66)->UseManualTime();
BENCHMARK(glibcBacktrace)->Arg(10)->Arg(20)->Arg(40)->Arg(66);
BENCHMARK(stackBounds);

}  // namespace

BENCHMARK_MAIN();
