// SPDX-License-Identifier: Apache-2.0
// What a call of the job takes on the simulated driver: run it bare, then under `vramscope run`; the
// difference is ours. `call_bench --loop KIND COUNT` makes exactly COUNT calls, for counting instructions
// (tools/count_instructions.py).
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <cstring>
#include <string>

#include "samples/programs/sample.h"

namespace vramscope::bench {
namespace {

using samples::allocate;

class Calls {
public:
    Calls() {
        CU(cuModuleLoad(&m_module, VRAMSCOPE_BENCH_KERNELS));
        CU(cuStreamCreate(&m_stream, CU_STREAM_NON_BLOCKING));
        for (CUdeviceptr& buffer : m_buffers)
            buffer = allocate(1 << 20);
    }

    void launch(CUfunction kernel, void** parameters) {
        CU(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, m_stream, parameters, nullptr));
    }
    CUfunction kernel(const char* name) {
        CUfunction function = nullptr;
        CU(cuModuleGetFunction(&function, m_module, name));
        return function;
    }

    /// Makes `count` calls of the kind: launches with 0, 4 or 16 pointers, or an allocation and a free.
    void run(const std::string& kind, std::int64_t count) {
        int none = 0;
        void* noPointers[] = {&none};
        void* four[] = {&m_buffers[0], &m_buffers[1], &m_buffers[2], &m_buffers[3]};
        void* sixteen[] = {&m_buffers[0], &m_buffers[4], &m_buffers[8], &m_buffers[12]};
        if (kind == "alloc-free") {
            for (std::int64_t i = 0; i < count; ++i)
                CU(cuMemFree(allocate(1 << 20)));
            return;
        }
        const bool isFour = kind == "launch-4";
        const CUfunction function = kernel(kind == "launch-0" ? "takesNone"
                                           : isFour           ? "takesFour"
                                                              : "takesSixteen");
        void** parameters = kind == "launch-0" ? noPointers : isFour ? four : sixteen;
        for (std::int64_t i = 0; i < count; ++i)
            launch(function, parameters);
    }

private:
    CUmodule m_module = nullptr;
    CUstream m_stream = nullptr;
    CUdeviceptr m_buffers[16] = {};
};

void calls(benchmark::State& state, const char* kind) {
    constexpr std::int64_t kPerRound =
        500;  // fewer than the simulated device lets wait before it works them off
    static Calls calls;
    for (auto _ : state) {
        calls.run(kind, kPerRound);
        state.PauseTiming();
        CU(cuCtxSynchronize());
        state.ResumeTiming();
    }
    state.counters["s/call"] = benchmark::Counter(
        kPerRound, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(calls, launch_0, "launch-0");
BENCHMARK_CAPTURE(calls, launch_4, "launch-4");
BENCHMARK_CAPTURE(calls, launch_16, "launch-16");
BENCHMARK_CAPTURE(calls, alloc_free, "alloc-free");

}  // namespace
}  // namespace vramscope::bench

int main(int argc, char** argv) {
    const vramscope::samples::Context context;
    if (argc == 4 && std::strcmp(argv[1], "--loop") == 0) {
        vramscope::bench::Calls().run(argv[2], std::atoll(argv[3]));
        return 0;
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
