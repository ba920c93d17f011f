// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <random>
#include <string>

#include "collector/levels/live_levels.h"
#include "formats/schema.h"
#include "tests/formats/temporary_folder.h"

// Time to make the levels of a capture on disk, by number of buffers.
namespace {

using namespace vramscope;
using formats::Connection;

void fill(Connection& capture, std::int64_t count) {
    static const char* const kKinds[] = {"device", "async", "pinned", "vmm"};
    std::mt19937_64 random(3);
    auto transaction = formats::Transaction::begin(capture);
    auto insert = capture.prepare(
        "INSERT INTO buffers (process_id, kind, address, generation, size_bytes, flags, api, alloc_enter_ns, "
        "alloc_ns, "
        "free_ns) VALUES (?1, ?2, ?3, 1, ?4, 0, 'cuMemAllocAsync', ?5, ?5, ?6)");
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t allocNs = i * 10'000;
        if (!insert
                 ->runWith(i % 8, kKinds[random() % 4], i << 9,
                           static_cast<std::int64_t>(random() % (1U << 24)), allocNs,
                           allocNs + static_cast<std::int64_t>(random() % 1'000'000'000))
                 .isOk())
            std::abort();
    }
    if (!transaction->commit().isOk()) std::abort();
}

void buildLevels(benchmark::State& state) {
    formats::TemporaryFolder folder;
    Connection capture = std::move(*Connection::open(folder / "bench.vramscope", formats::OpenMode::Create));
    if (!formats::createSchema(capture).isOk()) std::abort();
    fill(capture, state.range(0));
    for (auto _ : state)
        if (const Status status = levels::buildLiveLevels(capture); !status.isOk())
            state.SkipWithError(status.message().c_str());
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(buildLevels)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Arg(5'000'000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
