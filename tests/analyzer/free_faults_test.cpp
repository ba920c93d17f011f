// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::detectAll;
using detectors::Finding;

constexpr std::int64_t kAddress = 0x7f1200000000;

std::vector<Finding> corruptionIn(CaptureBuilder& builder) {
    std::vector<Finding> found;
    for (const Finding& finding : detectAll(*builder.load())) {
        if (finding.findingClass == detectors::FindingClass::Corruption) found.push_back(finding);
    }
    return found;
}

TEST(FreeFaults, ADoubleFreeTellsBothStacks) {
    CaptureBuilder builder;
    const std::int64_t first = builder.stack({"/opt/app/train!release", "/opt/app/train!main"});
    const std::int64_t second = builder.stack({"/opt/app/train!cleanup", "/opt/app/train!main"});
    builder.allocate({.address = kAddress, .allocNs = kMs, .freeNs = 5 * kMs, .freeStack = first});
    builder.failedCall("cuMemFree_v2", "free", 1, 9 * kMs, kAddress, 0, second, 3);
    const auto found = corruptionIn(builder);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, "corruption.double-free");
    EXPECT_EQ(found[0].confidence, Confidence::Proven);
    EXPECT_EQ(found[0].count, 3);
    ASSERT_GE(found[0].stacks.size(), 2U);
    EXPECT_EQ(found[0].stacks[0].stack.value, second);
    EXPECT_EQ(found[0].stacks[1].stack.value, first);
}

TEST(FreeFaults, AFreeAfterAResetIsADoubleFree) {
    CaptureBuilder builder;
    builder.allocate(
        {.address = kAddress, .allocNs = kMs, .freeNs = 5 * kMs, .endKind = "context-destroyed"});
    builder.failedCall("cuMemFree_v2", "free", 1, 9 * kMs, kAddress, 0,
                       builder.stack({"/opt/app/train!main"}));
    const auto found = corruptionIn(builder);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, "corruption.double-free");
    EXPECT_NE(found[0].sentence.find("after its context was destroyed"), std::string::npos);
}

TEST(FreeFaults, ASecondFreeAndAFreeAfterAResetInOneFunctionAreTwoFaults) {
    CaptureBuilder builder;
    const std::int64_t main = builder.stack({"/opt/app/train!main"});
    builder.allocate({.address = kAddress, .allocNs = kMs, .freeNs = 2 * kMs});
    builder.failedCall("cuMemFree_v2", "free", 1, 3 * kMs, kAddress, 0, main);
    builder.allocate(
        {.address = 2 * kAddress, .allocNs = 4 * kMs, .freeNs = 5 * kMs, .endKind = "context-destroyed"});
    builder.failedCall("cuMemFree_v2", "free", 1, 9 * kMs, 2 * kAddress, 0, main);
    const auto found = corruptionIn(builder);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_NE(found[0].fingerprint, found[1].fingerprint);
    EXPECT_EQ(found[0].parts, 1);
}

TEST(FreeFaults, AnAddressUsedAgainNamesTheNewBuffer) {
    CaptureBuilder builder;
    builder.allocate({.address = kAddress, .allocNs = kMs, .freeNs = 2 * kMs});
    builder.allocate({.address = kAddress, .allocNs = 3 * kMs});
    builder.failedCall("cuMemFree_v2", "free", 800, 9 * kMs, kAddress, 0, std::nullopt);
    const auto found = corruptionIn(builder);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, "corruption.refused-free");
    EXPECT_EQ(found[0].sentence, "b7f1200000000.2 (1.0 MiB of device memory) could not be freed and stays.");
}

TEST(FreeFaults, AFreeRefusedInACallbackNamesTheBlockThatStays) {
    CaptureBuilder builder;
    builder.allocate({.kind = "pinned", .address = kAddress, .bytes = 4 * kMiB, .allocNs = kMs});
    builder.failedCall("cudaFreeHost", "free", 800, 9 * kMs, kAddress, 0,
                       builder.stack({"/opt/app/train!callback"}));
    const auto all = detectAll(*builder.load());
    const auto found = findingsOf(all, "corruption.refused-free");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].bytes, 4 * kMiB);
    EXPECT_NE(found[0].evidence.at(0).find("(800)"), std::string::npos);
    EXPECT_TRUE(findingsOf(all, "leak.pinned").empty()) << "one fault is told once";
}

TEST(FreeFaults, TheWrongFreeIsMismatched) {
    CaptureBuilder builder;
    builder.allocate({.kind = "pinned", .address = kAddress, .allocNs = kMs});
    builder.allocate({.kind = "device", .address = kAddress * 2, .allocNs = kMs});
    builder.failedCall("cudaFree", "free", 1, 8 * kMs, kAddress, 0, builder.stack({"/opt/app/train!a"}));
    builder.failedCall("cuMemFreeHost", "free", 1, 9 * kMs, kAddress * 2, 0,
                       builder.stack({"/opt/app/train!b"}));
    const auto found = corruptionIn(builder);
    ASSERT_EQ(found.size(), 2U);
    for (const Finding& finding : found) {
        EXPECT_EQ(finding.rule, "corruption.mismatched-free");
        EXPECT_EQ(finding.evidence.at(1), "The block stays: it was never freed.");
    }
}

TEST(FreeFaults, TooLateIsTeardownOrder) {
    CaptureBuilder builder;
    builder.allocate({.address = kAddress, .bytes = 10 * kMiB, .allocNs = kMs});
    builder.failedCall("cudaFree", "free", 4, 9 * kMs, kAddress, 0,
                       builder.stack({"/opt/app/train!~Holder"}));
    const auto all = detectAll(*builder.load());
    EXPECT_EQ(problemsIn(all), "");
    const auto found = findingsOf(all, "leak.at-exit");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].findingClass, detectors::FindingClass::TeardownOrder);
}

TEST(FreeFaults, ABrokenContextRefusesEverythingAndIsNoFaultOfTheFree) {
    CaptureBuilder builder;
    builder.allocate({.address = kAddress, .allocNs = kMs});
    builder.failedCall("cuMemFree_v2", "free", 700, 9 * kMs, kAddress, 0, std::nullopt);
    EXPECT_TRUE(corruptionIn(builder).empty());
}

TEST(FreeFaults, RefusedAtFirstAndFreedLaterIsHarmless) {
    CaptureBuilder builder;
    builder.allocate({.address = kAddress, .allocNs = kMs, .freeNs = 12 * kMs});
    builder.failedCall("cuMemFree_v2", "free", 900, 9 * kMs, kAddress, 0, std::nullopt);
    EXPECT_TRUE(corruptionIn(builder).empty());
}

TEST(FreeFaults, AnUnknownAddressIsPossibleOnly) {
    CaptureBuilder builder;
    builder.failedCall("cuMemFree_v2", "free", 1, 9 * kMs, 0x1234, 0, std::nullopt);
    const auto found = corruptionIn(builder);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].confidence, Confidence::Possible);
}

TEST(FreeFaults, DestroyingAnEventTwiceIsADoubleFree) {
    CaptureBuilder builder;
    builder.object("event", 0x55aa, kMs, 2 * kMs, builder.stack({"/opt/app/train!a"}));
    builder.failedCall("cuEventDestroy_v2", "free", 400, 9 * kMs, 0x55aa, 0,
                       builder.stack({"/opt/app/train!b"}));
    const auto found = corruptionIn(builder);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, "corruption.double-free");
    EXPECT_EQ(found[0].sentence, "One event was destroyed twice.");
}

}  // namespace
}  // namespace vramscope::tests
