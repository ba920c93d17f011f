// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::detectAll;
using detectors::Finding;
using detectors::FindingClass;

bool tells(const Finding& finding, const std::string& sentence) {
    return std::find(finding.evidence.begin(), finding.evidence.end(), sentence) != finding.evidence.end();
}

TEST(FitOutOfMemory, SaysWhoHeldTheCard) {
    CaptureBuilder builder;
    builder.allocate(
        {.bytes = 50 * model::kGiB, .allocNs = kMs, .stack = builder.stack({"/opt/app/train!load"})});
    builder.memorySample(5 * kMs, 70 * model::kGiB, 51 * model::kGiB, 19 * model::kGiB);
    builder.failedCall("cuMemAlloc_v2", "alloc", 2, 9 * kMs, 0, 30 * model::kGiB,
                       builder.stack({"/opt/app/train!attention"}));
    const auto findings = findingsOf(detectAll(*builder.load()), "fit.out-of-memory");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Fit);
    EXPECT_EQ(findings[0].sentence, "30.0 GiB of device memory refused at 0.009 s.");
    EXPECT_TRUE(tells(findings[0], "The card: this job 51.0 GiB, other processes 19.0 GiB, free 10.0 GiB."));
    EXPECT_TRUE(tells(findings[0], "This process had 50.0 GiB live."));
}

TEST(FitOutOfMemory, MoreThanTheCardHasIsTheCause) {
    CaptureBuilder builder;
    builder.failedCall("cuMemAlloc_v2", "alloc", 2, 9 * kMs, 0, 4096 * model::kGiB, std::nullopt);
    const auto findings = findingsOf(detectAll(*builder.load()), "fit.out-of-memory");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_TRUE(tells(findings[0], "It asks for more than the whole card has (80.0 GiB)."));
}

TEST(FitOutOfMemory, ServedAfterARetryIsRecovered) {
    CaptureBuilder builder;
    builder.failedCall("cuMemAlloc_v2", "alloc", 2, 9 * kMs, 0, 20 * model::kGiB, std::nullopt);
    builder.allocate({.bytes = 20 * model::kGiB, .allocNs = 12 * kMs, .freeNs = 20 * kMs});
    const auto all = detectAll(*builder.load());
    EXPECT_EQ(problemsIn(all), "");
    const auto findings = findingsOf(all, "fit.out-of-memory");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Recovered);
    EXPECT_EQ(findings[0].sentence, "20.0 GiB refused at 0.009 s, then served 3.0 ms later.");
}

TEST(FitOutOfMemory, ASmallerBlockAfterwardsIsNoRecovery) {
    CaptureBuilder builder;
    builder.failedCall("cuMemAlloc_v2", "alloc", 2, 9 * kMs, 0, 20 * model::kGiB, std::nullopt);
    builder.allocate({.bytes = kMiB, .allocNs = 12 * kMs, .freeNs = 20 * kMs});
    const auto findings = findingsOf(detectAll(*builder.load()), "fit.out-of-memory");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Fit);
}

/// Blocks of 1 MiB, two on each page; `keepEvery` says which stay.
void smallBlocks(CaptureBuilder& builder, int count, int keepEvery) {
    const std::int64_t stack = builder.stack({"/opt/app/train!kv_index", "/opt/app/train!main"});
    for (int i = 0; i < count; ++i) {
        CaptureBuilder::Buffer block{
            .address = 0x7f0000000000 + i * kMiB, .bytes = kMiB, .allocNs = kMs, .stack = stack};
        if (i % keepEvery != 0) block.freeNs = 5 * kMs;
        builder.allocate(block);
    }
}

TEST(FitStrandedPages, HalfFreedAndNothingGivenBack) {
    CaptureBuilder builder;
    smallBlocks(builder, 400, 2);
    builder.failedCall("cuMemAlloc_v2", "alloc", 2, 9 * kMs, 0, 300 * kMiB,
                       builder.stack({"/opt/app/train!large"}));
    const auto findings = findingsOf(detectAll(*builder.load()), "fit.stranded-pages");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].bytes, 200 * kMiB);
    EXPECT_EQ(findings[0].count, 200);
    EXPECT_EQ(findings[0].sentence,
              "200.0 MiB of buffers below 2 MiB were freed; nothing of that went back to the driver.");
    ASSERT_FALSE(findings[0].stacks.empty());
    EXPECT_EQ(findings[0].stacks[0].label, "pinned by 200 buffers");
}

TEST(FitStrandedPages, WithoutAFailureNothingIsSaid) {
    CaptureBuilder builder;
    smallBlocks(builder, 400, 2);
    EXPECT_TRUE(findingsOf(detectAll(*builder.load()), "fit.stranded-pages").empty());
}

TEST(FitStrandedPages, GapsBetweenLargeBlocksAreNoHoles) {
    CaptureBuilder builder;
    for (int i = 0; i < 70; ++i) {
        CaptureBuilder::Buffer block{
            .address = 0x7f0000000000 + i * model::kGiB, .bytes = model::kGiB, .allocNs = kMs};
        block.freeNs = i % 2 == 0 ? 5 * kMs : 15 * kMs;
        builder.allocate(block);
    }
    builder.allocate({.bytes = 34 * model::kGiB, .allocNs = 9 * kMs, .freeNs = 16 * kMs});
    EXPECT_TRUE(detectAll(*builder.load()).empty());
}

TEST(FitPoolCache, AMaximalThresholdKeepsWhatIsFreed) {
    CaptureBuilder builder;
    const std::int64_t pool = builder.pool(true, -1);
    builder.poolSample(kMs, pool, 64 * kMiB, 64 * kMiB);
    builder.poolSample(5 * kMs, pool, 64 * kMiB, 0);
    const auto all = detectAll(*builder.load());
    EXPECT_EQ(problemsIn(all), "");
    const auto findings = findingsOf(all, "fit.pool-cache");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::PoolCache);
    EXPECT_EQ(findings[0].bytes, 64 * kMiB);
    EXPECT_TRUE(tells(findings[0], "Its release threshold is the maximum, so it gives nothing back."));
}

TEST(FitPoolCache, WithThresholdZeroNothingIsKept) {
    CaptureBuilder builder;
    const std::int64_t pool = builder.pool(true, 0);
    builder.poolSample(5 * kMs, pool, 64 * kMiB, 0);
    EXPECT_TRUE(detectAll(*builder.load()).empty());
}

}  // namespace
}  // namespace vramscope::tests
