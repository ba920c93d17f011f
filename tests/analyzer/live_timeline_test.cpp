// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/live_timeline.h"

#include <gtest/gtest.h>

#include "tests/support/capture_builder.h"

namespace vramscope::model {
namespace {

TEST(LiveTimeline, FindsThePeakAndReadsBetweenPoints) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 10, .allocNs = 100, .freeNs = 300});
    builder.allocate({.bytes = 5, .allocNs = 200, .freeNs = 400});
    const LiveTimeline live(*builder.load());
    EXPECT_EQ(live.peak().liveBytes, 15);
    EXPECT_EQ(live.peak().timeNs, 200);
    EXPECT_EQ(live.liveBytesAt(99), 0);
    EXPECT_EQ(live.liveBytesAt(250), 15);
    EXPECT_EQ(live.liveBytesAt(300), 5);
    EXPECT_EQ(live.liveBytesAt(1000), 0);
}

TEST(LiveTimeline, AFreeAndAnAllocationAtOneMomentAreNoPeak) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 10, .allocNs = 100, .freeNs = 200});
    builder.allocate({.bytes = 10, .allocNs = 200, .freeNs = 300});
    EXPECT_EQ(LiveTimeline(*builder.load()).peak().liveBytes, 10);
}

TEST(LiveTimeline, PhysicalHandlesCountInsteadOfTheirMappings) {
    tests::CaptureBuilder builder;
    const std::int64_t handle = builder.vmmHandle(100, 10, 500, 0, 0, std::nullopt);
    builder.allocate(
        {.kind = "vmm", .bytes = 100, .allocNs = 20, .freeNs = 400, .endKind = "unmapped", .handle = handle});
    const LiveTimeline live(*builder.load());
    EXPECT_EQ(live.liveBytesAt(15), 100);
    EXPECT_EQ(live.liveBytesAt(50), 100);
    EXPECT_EQ(live.liveBytesAt(450), 100);
    EXPECT_EQ(live.liveBytesAt(500), 0);
}

TEST(LiveTimeline, AnEmptyCaptureHasNoPeak) {
    tests::CaptureBuilder builder;
    EXPECT_EQ(LiveTimeline(*builder.load()).peak().liveBytes, 0);
}

}  // namespace
}  // namespace vramscope::model
