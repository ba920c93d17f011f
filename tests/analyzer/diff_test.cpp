// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/diff.h"

#include <gtest/gtest.h>

#include "tests/analyzer/report_support.h"

namespace vramscope::report {
namespace {

TEST(Diff, TheSameCaptureDiffersInNothing) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    const auto capture = builder.load();
    const Difference difference = differenceOf(*capture, *capture);
    EXPECT_TRUE(difference.isEmpty());
    EXPECT_NE(diffText(difference, 8).find("nothing changed"), std::string::npos);
}

TEST(Diff, NamesWhatCameAndWhatGrew) {
    tests::CaptureBuilder before;
    before.allocate({.bytes = 10 * tests::kMiB,
                     .allocNs = 5,
                     .freeNs = 9,
                     .stack = before.stack({"/opt/app/train!load"})});
    tests::CaptureBuilder after;
    tests::leakingLoop(after, 20, tests::kMiB);
    const Difference difference = differenceOf(*before.load(), *after.load());
    EXPECT_EQ(difference.peak.change(), 24 * tests::kMiB - 10 * tests::kMiB);
    ASSERT_EQ(difference.newFindings.size(), 1U);
    EXPECT_EQ(difference.newFindings[0].rule, "leak.growth");
    EXPECT_TRUE(difference.goneFindings.empty());
    EXPECT_EQ(difference.peakByStack.at(0).label, "train.cpp:88 make_mask");
}

}  // namespace
}  // namespace vramscope::report
