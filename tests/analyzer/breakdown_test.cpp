// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/breakdown.h"

#include <gtest/gtest.h>

#include "analyzer/model/live_timeline.h"
#include "tests/support/capture_builder.h"

namespace vramscope::model {
namespace {

TEST(Breakdown, EverySplitAddsUpToTheTimeline) {
    tests::CaptureBuilder builder;
    const std::int64_t torch = builder.stack({"/x/libtorch_cuda.so!alloc", "/usr/bin/python3!main"});
    const std::int64_t nccl = builder.stack({"/x/libnccl.so.2!init", "/usr/bin/python3!main"});
    builder.allocate({.bytes = 30 * kMiB, .allocNs = 10, .stack = torch});
    builder.allocate({.kind = "managed", .bytes = 5 * kMiB, .allocNs = 10, .stack = nccl});
    builder.allocate({.kind = "pinned", .bytes = 99 * kMiB, .allocNs = 10, .stack = nccl});
    builder.vmmHandle(64 * kMiB, 10, std::nullopt, 1, 0, torch);
    const auto capture = builder.load();
    for (const SplitBy split :
         {SplitBy::Process, SplitBy::Task, SplitBy::Library, SplitBy::Kind, SplitBy::Stack}) {
        EXPECT_EQ(totalBytes(liveShares(*capture, 20, split)), 99 * kMiB) << name(split);
    }
    EXPECT_EQ(LiveTimeline(*capture).liveBytesAt(20), 99 * kMiB);
    const auto libraries = liveShares(*capture, 20, SplitBy::Library);
    ASSERT_EQ(libraries.size(), 2U);
    EXPECT_EQ(libraries[0].label, "torch");
    EXPECT_EQ(libraries[0].bytes, 94 * kMiB);
    EXPECT_EQ(libraries[1].label, "nccl");
}

TEST(Breakdown, HeldAtEndLeavesOutWhatWasFreed) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 3 * kMiB, .allocNs = 10});
    builder.allocate({.bytes = 5 * kMiB, .allocNs = 10, .freeNs = 30});
    builder.allocate({.bytes = 7 * kMiB, .allocNs = 10, .freeNs = 30, .endKind = "context-destroyed"});
    EXPECT_EQ(totalBytes(sharesHeldAtEnd(*builder.load(), SplitBy::Kind)), 3 * kMiB);
}

TEST(Breakdown, PhysicalMemoryBelongsToTheTaskThatMappedItElseToItsProcess) {
    tests::CaptureBuilder builder;
    builder.exec("INSERT INTO tasks VALUES (7, 'reader', 'annotation', NULL)");
    const std::int64_t mapped = builder.vmmHandle(4 * kMiB, 10, std::nullopt, 1, 1, std::nullopt);
    const std::int64_t buffer =
        builder.allocate({.kind = "vmm", .bytes = 4 * kMiB, .allocNs = 10, .handle = mapped});
    builder.exec("UPDATE buffers SET task_id = 7 WHERE buffer_id = " + std::to_string(buffer));
    builder.vmmHandle(6 * kMiB, 10, std::nullopt, 1, 0, std::nullopt);
    const auto shares = liveShares(*builder.load(), 20, SplitBy::Task);
    ASSERT_EQ(shares.size(), 2U);
    EXPECT_EQ(shares[0].label, "train");
    EXPECT_EQ(shares[0].bytes, 6 * kMiB);
    EXPECT_EQ(shares[1].label, "reader");
}

}  // namespace
}  // namespace vramscope::model
