// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/large_capture.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "collector/levels/live_levels.h"
#include "formats/sqlite.h"
#include "tests/support/capture_builder.h"

namespace vramscope::bench {
namespace {

constexpr std::int64_t kStacks = 500;
constexpr std::int64_t kNsBetween = 200'000;
constexpr std::int64_t kRowsAtOnce = 100'000;

void need(const Status& status) {
    if (status.isOk()) return;
    std::fprintf(stderr, "the capture could not be written: %s\n", status.message().c_str());
    std::exit(1);
}

void addStacks(tests::CaptureBuilder& builder) {
    for (std::int64_t i = 0; i < kStacks; ++i) {
        builder.stack(
            {"/usr/lib/libcuda.so.1!cuMemAlloc_v2",
             "/opt/lib/libtorch_cuda.so!c10::cuda::alloc_" + std::to_string(i % 17),
             "/opt/lib/libtorch_cpu.so!at::native::op_" + std::to_string(i % 61) + "(at::Tensor const&)",
             "/opt/app/train!layer_" + std::to_string(i) + "@layers.cpp:" + std::to_string(10 + i),
             "/opt/app/train!step@train.cpp:88", "/opt/app/train!main@train.cpp:12"});
    }
}

void addBuffers(formats::Connection& capture, std::int64_t count) {
    auto statement = capture.prepare(
        "INSERT INTO buffers (process_id, kind, address, generation, size_bytes, context_id, device_id, "
        "flags, api,"
        " alloc_enter_ns, alloc_ns, alloc_thread_id, alloc_stack_id, free_ns, free_exit_ns, free_thread_id, "
        "free_stack_id,"
        " free_api, end_kind, task_id) VALUES (1, ?, ?, ?, ?, 1, 1, 0, ?, ?, ?, 1, ?, nullif(?, -1), "
        "nullif(?, -1), 1, nullif(?, -1),"
        " nullif(?, ''), nullif(?, ''), 1)");
    need(statement.status());
    const std::array<std::string, 3> kinds{"device", "async", "async"};
    const std::array<std::string, 3> apis{"cuMemAlloc_v2", "cuMemAllocAsync", "cuMemAllocAsync"};
    std::mt19937_64 random(4711);
    for (std::int64_t i = 0; i < count; ++i) {
        if (i % kRowsAtOnce == 0) need(capture.exec(i == 0 ? "BEGIN" : "COMMIT; BEGIN"));
        const std::uint64_t dice = random();
        const std::int64_t allocNs = i * kNsBetween + static_cast<std::int64_t>(dice % 1000);
        const bool isFreed = i % 5 != 0;
        const std::int64_t freeNs =
            allocNs + 1000 + static_cast<std::int64_t>((dice >> 10U) % 20'000'000'000ULL);
        const auto kind = static_cast<std::size_t>(dice % 3);
        const std::int64_t bytes = std::int64_t{512} << (dice >> 50U) % 9U;
        const std::int64_t address =
            0x7f0000000000 + static_cast<std::int64_t>((dice >> 20U) % 1'000'000) * (1 << 18);
        const std::int64_t freed = isFreed ? freeNs : -1;
        const std::int64_t stack = 6 + static_cast<std::int64_t>((dice >> 40U) % kStacks);
        need(statement->runWith(kinds[kind], address, i, bytes, apis[kind], allocNs - 500, allocNs, stack,
                                freed, freed, isFreed ? stack : -1, isFreed ? "cuMemFree_v2" : "",
                                isFreed ? "freed" : ""));
    }
    need(capture.exec("COMMIT"));
}

}  // namespace

void writeLargeCapture(const std::filesystem::path& path, std::int64_t bufferCount) {
    std::filesystem::remove(path);
    tests::CaptureBuilder builder;
    addStacks(builder);
    const std::int64_t endNs = bufferCount * kNsBetween + 20 * 1'000'000'000LL;
    builder.exec("UPDATE meta SET value = '" + std::to_string(endNs) + "' WHERE key = 'session_end_ns'");
    builder.exec("UPDATE processes SET end_ns = " + std::to_string(endNs));
    for (std::int64_t at = 0; at < endNs; at += 100'000'000)
        builder.memorySample(at, 20LL << 30, 18LL << 30, 0);
    builder.writeTo(path);
    auto capture = formats::Connection::open(path, formats::OpenMode::ReadWrite);
    need(capture.status());
    need(capture->exec("PRAGMA synchronous = OFF"));
    addBuffers(*capture, bufferCount);
    need(levels::buildLiveLevels(*capture));
    need(capture->close());
}

}  // namespace vramscope::bench
