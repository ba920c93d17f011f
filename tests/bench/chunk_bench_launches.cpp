// SPDX-License-Identifier: Apache-2.0
// What launches cost with the pointers they were given: bytes in the finished file, time to store them as the
// recorder does, time to join them with their arguments. docs/decisions/0002-event-chunks.md has the numbers.
#include <benchmark/benchmark.h>
#include <filesystem>
#include <stdexcept>

#include "formats/capture_file.h"
#include "formats/launch_writer.h"
#include "tests/bench/launch_workloads.h"
#include "tests/formats/temporary_folder.h"

namespace vramscope::formats {
namespace {

constexpr std::size_t kLaunches = 1'000'000;

void must(const Status& status) {
    if (!status.isOk()) throw std::runtime_error(status.message());
}
template <typename T>
T must(StatusOr<T> value) {
    must(value.status());
    return std::move(value.value());
}

/// A million launches, made once for each workload.
const std::vector<Launch>& launches(std::int64_t workload) {
    static std::int64_t madeFor = -1;
    static std::vector<Launch> made;
    if (madeFor != workload) {
        LaunchSource source(static_cast<Workload>(workload));
        made.resize(kLaunches);
        for (Launch& launch : made)
            launch = source.next();
        madeFor = workload;
    }
    return made;
}

void write(Connection& connection, const std::vector<Launch>& source, std::size_t perCommit) {
    ChunkEncoder encoder;
    ChunkRowWriter rows = must(ChunkRowWriter::make(connection));
    LaunchWriter writer(must(ArgumentWriter::make(connection)), encoder, rows);
    for (std::size_t i = 0; i < source.size(); i += perCommit) {
        Transaction transaction = must(Transaction::begin(connection));
        for (std::size_t k = i; k < std::min(i + perCommit, source.size()); ++k)
            must(writer.add(source[k].event, source[k].arguments));
        must(writer.flush());
        must(transaction.commit());
    }
}

std::uintmax_t emptyCaptureBytes(const TemporaryFolder& folder) {
    Connection empty = must(createCaptureForWriting(folder / "empty", true));
    must(finishCapture(empty));
    return std::filesystem::file_size(folder / "empty");
}

/// Stores a million launches in a capture. perCommit: launches in 200 ms, so 2,000 is a job that launches
/// 10,000 kernels a second, and 400,000 the most that a recorder is built for.
void storeLaunches(benchmark::State& state) {
    const auto& source = launches(state.range(0));
    TemporaryFolder folder;
    const auto path = folder / "a.vramscope";
    for (auto _ : state) {
        Connection connection = must(createCaptureForWriting(path, true));
        write(connection, source, static_cast<std::size_t>(state.range(1)));
        must(finishCapture(connection));
    }
    const auto bytes = std::filesystem::file_size(path) - emptyCaptureBytes(folder);
    state.counters["B/launch"] = static_cast<double>(bytes) / kLaunches;
    state.counters["launches/s"] =
        benchmark::Counter(kLaunches, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(storeLaunches)
    ->ArgNames({"workload", "perCommit"})
    ->ArgsProduct({{0, 1, 2, 3, 4, 5}, {2000, 400'000}})
    ->Unit(benchmark::kMillisecond);

/// Which buffers were used how often: every launch joined with its arguments.
void countByBuffer(benchmark::State& state) {
    TemporaryFolder folder;
    const auto path = folder / "a.vramscope";
    Connection recording = must(createCaptureForWriting(path, true));
    write(recording, launches(state.range(0)), 400'000);
    must(finishCapture(recording));
    Connection connection = must(openCaptureForReading(path));
    for (auto _ : state) {
        Statement statement =
            must(connection.prepare("SELECT buffer_id, count(*) FROM launches JOIN launch_arguments USING "
                                    "(argument_set_id) GROUP BY buffer_id"));
        must(statement.run());
    }
    state.counters["launches/s"] =
        benchmark::Counter(kLaunches, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(countByBuffer)->ArgName("workload")->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vramscope::formats

BENCHMARK_MAIN();
