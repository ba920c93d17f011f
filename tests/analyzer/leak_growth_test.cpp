// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::detectAll;
using detectors::FindingClass;

TEST(LeakGrowth, OneOfFiveBlocksForgottenEachTurnIsOneProvenFinding) {
    CaptureBuilder builder;
    leakingLoop(builder, 20, 5 * kMiB);
    const auto capture = builder.load();
    const auto all = detectAll(*capture);
    const auto findings = findingsOf(all, "leak.growth");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Proven);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Growing);
    EXPECT_EQ(findings[0].count, 20);
    EXPECT_EQ(findings[0].bytes, 100 * kMiB);
    EXPECT_EQ(findings[0].headline, "+5.0 MiB each time, 20 times");
    // One fault is told once: not again as left at exit.
    EXPECT_TRUE(findingsOf(all, "leak.at-exit").empty()) << problemsIn(all);
}

TEST(LeakGrowth, MarkedStepsGiveBytesAStep) {
    CaptureBuilder builder;
    leakingLoop(builder, 12, 12 * kMiB, true);
    const auto capture = builder.load();
    const auto findings = findingsOf(detectAll(*capture), "leak.growth");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].headline, "+12.0 MiB a step");
    EXPECT_EQ(findings[0].sentence,
              "12.0 MiB a step, from step 1 to 12: 12 buffers, 144.0 MiB stay, and more come until the end.");
}

TEST(LeakGrowth, LostRecordsMakeItPossibleOnly) {
    CaptureBuilder builder;
    leakingLoop(builder, 20, kMiB);
    builder.drop("ring-full", 3);
    const auto capture = builder.load();
    const auto findings = findingsOf(detectAll(*capture), "leak.growth");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Possible);
    EXPECT_FALSE(findings[0].wouldMakeSure.empty());
}

TEST(LeakGrowth, BlocksThatLaterLaunchesReadAreInUse) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!load_layer", "/opt/app/train!main"});
    std::vector<std::int64_t> weights;
    for (int i = 0; i < 20; ++i) {
        weights.push_back(builder.allocate({.allocNs = (10 + i) * kMs, .stack = stack}));
        builder.launch((10 + i) * kMs + 1000, {weights.back()});
    }
    builder.launch(40 * kMs, weights);
    const auto capture = builder.load();
    EXPECT_TRUE(findingsOf(detectAll(*capture), "leak.growth").empty());
}

TEST(LeakGrowth, ManyBlocksATurnAreTheSameLeak) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!make_layers", "/opt/app/train!main"});
    for (int turn = 0; turn < 12; ++turn) {
        for (int i = 0; i < 20; ++i)
            builder.allocate({.allocNs = (10 + turn * 10) * kMs + i, .stack = stack});
        builder.launch((15 + turn * 10) * kMs);
    }
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.growth");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].count, 240);
}

TEST(LeakGrowth, FillingATableAtStartIsNoLoop) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!make_table", "/opt/app/train!main"});
    for (int i = 0; i < 50; ++i)
        builder.allocate({.allocNs = (10 + i) * kMs, .stack = stack});
    builder.launch(70 * kMs);
    const auto capture = builder.load();
    EXPECT_TRUE(findingsOf(detectAll(*capture), "leak.growth").empty());
}

TEST(LeakGrowth, AContextForEachTurnGivesItsMemoryBack) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!test_case", "/opt/app/train!main"});
    for (int i = 0; i < 20; ++i) {
        builder.allocate({.allocNs = (10 + 10 * i) * kMs,
                          .freeNs = (15 + 10 * i) * kMs,
                          .stack = stack,
                          .endKind = "context-destroyed"});
        builder.launch((12 + 10 * i) * kMs);
    }
    const auto capture = builder.load();
    EXPECT_EQ(problemsIn(detectAll(*capture)), "");
}

TEST(LeakGrowth, AResetAtTheEndHidesNothing) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!leak", "/opt/app/train!main"});
    for (int i = 0; i < 20; ++i) {
        builder.allocate({.allocNs = (10 + 10 * i) * kMs,
                          .freeNs = 900 * kMs,
                          .stack = stack,
                          .endKind = "context-destroyed"});
        builder.launch((12 + 10 * i) * kMs);
    }
    const auto capture = builder.load();
    EXPECT_EQ(findingsOf(detectAll(*capture), "leak.growth").size(), 1U);
}

TEST(LeakGrowth, FingerprintsAreTheSameInEveryRun) {
    CaptureBuilder first;
    leakingLoop(first, 20, kMiB);
    CaptureBuilder second;
    second.stack({"/lib/other.so!somewhere"});  // other ids and addresses
    second.allocate({.bytes = 64 * kMiB, .freeNs = kMs});
    leakingLoop(second, 35, 3 * kMiB);
    const auto a = findingsOf(detectAll(*first.load()), "leak.growth");
    const auto b = findingsOf(detectAll(*second.load()), "leak.growth");
    ASSERT_EQ(a.size(), 1U);
    ASSERT_EQ(b.size(), 1U);
    EXPECT_EQ(a[0].fingerprint, b[0].fingerprint);
    EXPECT_EQ(a[0].fingerprint.size(), 16U);
}

}  // namespace
}  // namespace vramscope::tests
