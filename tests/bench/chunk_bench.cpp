// SPDX-License-Identifier: Apache-2.0
// What launches cost in a capture: packed chunks against one row each. docs/decisions/0002-event-chunks.md
// has the numbers. The loop of tests/formats/training_step.h stands for a training job.
#include <benchmark/benchmark.h>
#include <filesystem>
#include <stdexcept>

#include "formats/argument_chunk.h"
#include "formats/capture_file.h"
#include "formats/event_tables.h"
#include "formats/event_writer.h"
#include "tests/bench/launch_workloads.h"
#include "tests/formats/temporary_folder.h"
#include "tests/formats/training_step.h"

namespace vramscope::formats {
namespace {

constexpr std::size_t kLaunches = 1'000'000;

const std::vector<LaunchEvent>& launches() {
    static const std::vector<LaunchEvent> events = TrainingLoop().launches(kLaunches);
    return events;
}

void must(const Status& status) {
    if (!status.isOk()) throw std::runtime_error(status.message());
}

void countLaunches(benchmark::State& state, std::size_t perRound) {
    state.counters["launches/s"] =
        benchmark::Counter(static_cast<double>(perRound), benchmark::Counter::kIsIterationInvariantRate);
}

void encodeChunk(benchmark::State& state) {
    const auto events = std::span(launches()).first(static_cast<std::size_t>(state.range(0)));
    ChunkEncoder encoder;
    std::size_t bytes = 0;
    for (auto _ : state)
        bytes = encoder.encode(events, {""}).size();
    countLaunches(state, events.size());
    state.counters["B/launch"] = static_cast<double>(bytes) / static_cast<double>(events.size());
}
BENCHMARK(encodeChunk)->Arg(100)->Arg(1000)->Arg(4000)->Arg(16384)->Arg(65536);

void decodeChunk(benchmark::State& state) {
    const auto events = std::span(launches()).first(static_cast<std::size_t>(state.range(0)));
    ChunkEncoder encoder;
    const auto bytes = encoder.encode(events, {""});
    ZstdDecompressor decompressor;
    for (auto _ : state)
        benchmark::DoNotOptimize(decodeChunk<LaunchEvent>(bytes, decompressor));
    countLaunches(state, events.size());
}
BENCHMARK(decodeChunk)->Arg(1000)->Arg(16384);

/// A full chunk of argument sets of four random pointers, 28 bits each.
void encodeArgumentChunk(benchmark::State& state) {
    LaunchSource source(Workload::RandomBuffers);
    ArgumentChunkEncoder encoder;
    while (!encoder.isFull())
        encoder.add(source.next().arguments);
    std::size_t bytes = 0;
    for (auto _ : state)
        bytes = encoder.encode().size();
    countLaunches(state, encoder.setCount());
    state.counters["B/launch"] = static_cast<double>(bytes) / static_cast<double>(encoder.setCount());
}
BENCHMARK(encodeArgumentChunk);

void decodeArguments(benchmark::State& state) {
    LaunchSource source(Workload::RandomBuffers);
    ArgumentChunkEncoder encoder;
    while (!encoder.isFull())
        encoder.add(source.next().arguments);
    const auto bytes = encoder.encode();
    ZstdDecompressor decompressor;
    for (auto _ : state)
        benchmark::DoNotOptimize(decodeArgumentChunk(bytes, decompressor));
    countLaunches(state, encoder.setCount());
}
BENCHMARK(decodeArguments);

/// A transaction every 2,000 launches, which is 200 ms of a job that launches 10,000 kernels a second.
constexpr std::size_t kPerCommit = 2000;

void writeChunks(Connection& connection) {
    ChunkEncoder encoder;
    ChunkRowWriter rows = std::move(ChunkRowWriter::make(connection).value());
    EventWriter<LaunchEvent> writer(encoder, rows);
    for (std::size_t i = 0; i < kLaunches; i += kPerCommit) {
        Transaction transaction = std::move(Transaction::begin(connection).value());
        for (std::size_t k = i; k < i + kPerCommit; ++k)
            must(writer.add(launches()[k]));
        must(writer.flush());
        must(transaction.commit());
    }
}

// The same columns as a table of rows.
constexpr const char* kRowTable =
    "CREATE TABLE launch_rows(enter_ns INTEGER NOT NULL, exit_ns INTEGER NOT NULL, process_id INTEGER NOT "
    "NULL, "
    "thread_id INTEGER, stream_id INTEGER, kernel_id INTEGER, grid_x INTEGER, grid_y INTEGER, grid_z "
    "INTEGER, "
    "block_x INTEGER, block_y INTEGER, block_z INTEGER, argument_set_id INTEGER, "
    "stack_id "
    "INTEGER, result INTEGER) STRICT";

void writeRows(Connection& connection, bool indexed) {
    must(connection.exec(kRowTable));
    if (indexed) must(connection.exec("CREATE INDEX launch_rows_by_time ON launch_rows(enter_ns)"));
    Statement insert = std::move(
        connection.prepare("INSERT INTO launch_rows VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)").value());
    for (std::size_t i = 0; i < kLaunches; i += kPerCommit) {
        Transaction transaction = std::move(Transaction::begin(connection).value());
        for (std::size_t k = i; k < i + kPerCommit; ++k) {
            const LaunchEvent& e = launches()[k];
            must(insert.runWith(e.enterNs, e.exitNs, e.processId, e.threadId, e.streamId, e.kernelId, e.gridX,
                                e.gridY, e.gridZ, e.blockX, e.blockY, e.blockZ, e.argumentSetId, e.stackId,
                                e.result));
        }
        must(transaction.commit());
    }
}

enum Layout { Chunks, Rows, IndexedRows };

Connection writeCapture(const std::filesystem::path& path, std::int64_t layout) {
    Connection connection = std::move(createCaptureForWriting(path, true).value());
    if (layout == Chunks)
        writeChunks(connection);
    else
        writeRows(connection, layout == IndexedRows);
    return connection;
}

void storeMillion(benchmark::State& state) {
    TemporaryFolder folder;
    const auto path = folder / "a.vramscope";
    static_cast<void>(launches());
    for (auto _ : state) {
        Connection connection = writeCapture(path, state.range(0));
        must(finishCapture(connection));
    }
    countLaunches(state, kLaunches);
    // An empty capture has a page or two for each table.
    Connection empty = std::move(createCaptureForWriting(folder / "empty", false).value());
    must(finishCapture(empty));
    const auto bytes = std::filesystem::file_size(path) - std::filesystem::file_size(folder / "empty");
    state.counters["B/launch"] = static_cast<double>(bytes) / kLaunches;
}
BENCHMARK(storeMillion)->Arg(Chunks)->Arg(Rows)->Arg(IndexedRows)->Unit(benchmark::kMillisecond);

/// Counts launches by kernel: all of them, or those of the middle hundredth of the time.
void countByKernel(benchmark::State& state) {
    TemporaryFolder folder;
    Connection connection = writeCapture(folder / "a.vramscope", state.range(0));
    must(registerEventTables(connection));
    std::string sql = "SELECT count(*), kernel_id FROM ";
    sql += state.range(0) == Chunks ? "launches" : "launch_rows";
    if (state.range(1) != 0) {
        sql += " WHERE enter_ns BETWEEN " + std::to_string(launches()[kLaunches / 2].enterNs) + " AND " +
               std::to_string(launches()[kLaunches / 2 + kLaunches / 100].enterNs);
    }
    sql += " GROUP BY kernel_id";
    for (auto _ : state) {
        Statement statement = std::move(connection.prepare(sql).value());
        must(statement.run());
    }
}
BENCHMARK(countByKernel)
    ->ArgNames({"layout", "range"})
    ->ArgsProduct({{Chunks, Rows, IndexedRows}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vramscope::formats
