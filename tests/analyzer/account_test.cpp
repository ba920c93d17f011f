// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::detectAll;

TEST(AccountUnaccounted, TheRestIsANoteWithItsBytes) {
    CaptureBuilder builder;
    builder.memorySample(kMs, 500 * kMiB, 500 * kMiB, 0);
    builder.allocate({.bytes = 2 * model::kGiB, .allocNs = 5 * kMs, .freeNs = 50 * kMs});
    builder.memorySample(10 * kMs, 5 * model::kGiB, 5 * model::kGiB, 0);
    const auto all = detectAll(*builder.load());
    EXPECT_EQ(problemsIn(all), "");
    const auto findings = findingsOf(all, "account.unaccounted");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].bytes, 3 * model::kGiB - 500 * kMiB);
}

TEST(AccountUnaccounted, ABookThatBalancesSaysNothing) {
    CaptureBuilder builder;
    builder.memorySample(kMs, 500 * kMiB, 500 * kMiB, 0);
    builder.allocate({.bytes = 2 * model::kGiB, .allocNs = 5 * kMs, .freeNs = 50 * kMs});
    builder.memorySample(10 * kMs, 2 * model::kGiB + 520 * kMiB, 2 * model::kGiB + 520 * kMiB, 0);
    EXPECT_TRUE(findingsOf(detectAll(*builder.load()), "account.unaccounted").empty());
}

TEST(AccountUnaccounted, WithoutAProcessListOthersAreNotBlamedOnTheJob) {
    CaptureBuilder builder;
    builder.memorySample(10 * kMs, 60 * model::kGiB, std::nullopt, std::nullopt);
    EXPECT_TRUE(findingsOf(detectAll(*builder.load()), "account.unaccounted").empty());
}

}  // namespace
}  // namespace vramscope::tests
