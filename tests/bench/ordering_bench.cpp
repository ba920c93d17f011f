// SPDX-License-Identifier: Apache-2.0
// What it takes to follow the order of calls through a large capture: a training loop of a million launches
// with uploads on a stream of their own, events, a synchronisation each step and stream-ordered temporaries.
// Reports the time of the ordering model alone and, for scale, of loading everything else.
#include <benchmark/benchmark.h>
#include <filesystem>
#include <unistd.h>

#include "analyzer/model/load_tables.h"
#include "formats/capture_file.h"
#include "tests/support/stream_program.h"

namespace vramscope::tests {
namespace {

constexpr int kSteps = 2000;
constexpr int kLaunchesAStep = 500;
constexpr int kTemporariesAStep = 10;

std::filesystem::path makeCapture() {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() /
        ("vramscope-ordering-bench-" + std::to_string(::getpid()) + ".vramscope");
    std::filesystem::remove(path);
    CaptureBuilder builder;
    StreamProgram program(builder);
    const std::int64_t compute = program.stream();
    const std::int64_t uploads = program.stream();
    const std::int64_t uploaded = program.event();
    const std::int64_t computed = program.event();
    const std::int64_t batch = program.allocate(1 << 20, "pinned");
    std::vector<std::int64_t> tensors;
    for (int i = 0; i < 200; ++i)
        tensors.push_back(program.allocate(4 << 20));
    for (int step = 0; step < kSteps; ++step) {
        program.wait(computed, uploads);
        formats::CopyEvent upload;
        upload.streamId = uploads;
        upload.direction = formats::CopyDirection::HostToDevice;
        upload.isAsync = true;
        upload.srcBufferId = batch;
        upload.srcAddress = program.addressOf(batch);
        upload.dstBufferId = tensors[0];
        upload.dstAddress = program.addressOf(tensors[0]);
        upload.bytes = 1 << 20;
        program.copy(upload, "cuMemcpyHtoDAsync_v2");
        program.record(uploaded, uploads);
        program.wait(uploaded, compute);
        for (int i = 0; i < kLaunchesAStep; ++i) {
            const auto at = [&](int n) { return tensors[static_cast<std::size_t>((i + n) % 200)]; };
            program.launch(compute, {at(0), at(1), at(7), at(31), at(100)}, i % 16 * 4096);
        }
        for (int i = 0; i < kTemporariesAStep; ++i) {
            const std::int64_t temporary = program.allocateOn(compute, 1 << 16);
            program.set(compute, temporary);
            program.launch(compute, {temporary, tensors[0]});
            program.freeOn(temporary, compute);
        }
        program.record(computed, compute);
        program.sync(formats::SyncKind::StreamSync, compute);
    }
    program.writeTo(path);
    return path;
}

Status loadAllButOrder(formats::Connection& connection, model::Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(model::loadMachine(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(model::loadStacks(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(model::loadMemory(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(model::loadHealth(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(model::loadActivity(connection, capture));
    return model::loadCodeArrival(connection, capture);
}

void run(benchmark::State& state, bool isOrder) {
    static const std::filesystem::path kPath = makeCapture();
    for (auto _ : state) {
        state.PauseTiming();
        auto connection = formats::openCaptureForReading(kPath);
        model::Capture capture;
        if (!connection.isOk()) return state.SkipWithError("the capture cannot be opened");
        if (!isOrder) state.ResumeTiming();
        if (!loadAllButOrder(*connection, capture).isOk()) return state.SkipWithError("not loaded");
        if (isOrder) {
            state.ResumeTiming();
            if (!model::loadOrdering(*connection, capture).isOk()) return state.SkipWithError("not loaded");
            if (!capture.ordering.isJudged || !capture.ordering.conflicts.empty())
                return state.SkipWithError("not judged as it should be");
        }
    }
    state.SetItemsProcessed(state.iterations() * kSteps * (kLaunchesAStep + kTemporariesAStep));
}

void order(benchmark::State& state) {
    run(state, true);
}
void everythingElse(benchmark::State& state) {
    run(state, false);
}
BENCHMARK(order)->Unit(benchmark::kMillisecond);
BENCHMARK(everythingElse)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vramscope::tests

BENCHMARK_MAIN();
