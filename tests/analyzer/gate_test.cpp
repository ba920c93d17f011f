// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/gate.h"

#include <gtest/gtest.h>

#include "tests/analyzer/report_support.h"

namespace vramscope::report {
namespace {

using detectors::Confidence;
using detectors::Finding;
using detectors::FindingClass;

Finding finding(const std::string& rule, FindingClass findingClass, Confidence confidence,
                std::int64_t fromOneStack) {
    Finding f;
    f.rule = rule;
    f.findingClass = findingClass;
    f.confidence = confidence;
    f.count = fromOneStack;
    f.largestStackCount = fromOneStack;
    f.fingerprint = "0123456789abcdef";
    return f;
}

TEST(Gate, FailsByDefaultOnWhatIsProvenAndHarmful) {
    const auto proven = Confidence::Proven;
    EXPECT_TRUE(failsByDefault(finding("leak.growth", FindingClass::Growing, proven, 5)));
    EXPECT_TRUE(failsByDefault(finding("corruption.double-free", FindingClass::Corruption, proven, 1)));
    EXPECT_TRUE(failsByDefault(finding("leak.object", FindingClass::Leak, proven, 3)));
    EXPECT_TRUE(failsByDefault(finding("leak.vmm-handle", FindingClass::Leak, proven, 3)));
    EXPECT_TRUE(failsByDefault(finding("leak.pinned", FindingClass::Leak, proven, 3)));
    EXPECT_FALSE(failsByDefault(finding("leak.pinned", FindingClass::Leak, proven, 2)));
    EXPECT_FALSE(failsByDefault(finding("leak.at-exit", FindingClass::Leak, proven, 100)));
    EXPECT_FALSE(failsByDefault(finding("leak.pinned", FindingClass::PoolCache, proven, 30)));
    EXPECT_FALSE(failsByDefault(finding("fit.out-of-memory", FindingClass::Fit, proven, 1)));
    EXPECT_FALSE(failsByDefault(finding("leak.growth", FindingClass::Growing, Confidence::Possible, 5)));
    EXPECT_FALSE(
        failsByDefault(finding("corruption.double-free", FindingClass::Corruption, Confidence::Possible, 1)));
}

GateResult judged(const Finding& f, const GateOptions& options) {
    tests::CaptureBuilder builder;
    const std::vector<Finding> findings{f};
    GateResult result = judge(*builder.load(), findings, options);
    for (JudgedFinding& one : result.findings)
        one.finding = nullptr;  // it does not outlive this
    return result;
}

TEST(Gate, FailOnNamesRulesAndFamilies) {
    const Finding exit = finding("leak.at-exit", FindingClass::Leak, Confidence::Proven, 1);
    EXPECT_FALSE(judged(exit, {}).fails());
    EXPECT_EQ(judged(exit, {}).countOf(Verdict::Warns), 1);
    EXPECT_TRUE(judged(exit, {.failOn = {"leak.at-exit"}}).fails());
    EXPECT_TRUE(judged(exit, {.failOn = {"leak"}}).fails());
    EXPECT_FALSE(judged(exit, {.failOn = {"leak.at"}}).fails());
    const Finding possible = finding("leak.at-exit", FindingClass::Leak, Confidence::Possible, 1);
    EXPECT_FALSE(judged(possible, {.failOn = {"leak.at-exit"}}).fails()) << "only proven findings may fail";
    const Finding once = finding("leak.at-exit", FindingClass::OneTime, Confidence::Proven, 1);
    EXPECT_TRUE(judged(once, {.failOn = {"leak.at-exit"}}).fails());
    const Finding cache = finding("leak.at-exit", FindingClass::LibraryWorkspace, Confidence::Proven, 9);
    EXPECT_FALSE(judged(cache, {.failOn = {"leak.at-exit"}}).fails()) << "a workspace never fails";
}

TEST(Gate, AllowedFindingsAreKnown) {
    const Finding growth = finding("leak.growth", FindingClass::Growing, Confidence::Proven, 9);
    EXPECT_TRUE(judged(growth, {}).fails());
    for (const char* pattern : {"leak.growth", "leak", "0123456789abcdef"}) {
        const GateResult result = judged(growth, {.allow = {pattern}});
        EXPECT_FALSE(result.fails()) << pattern;
        EXPECT_EQ(result.countOf(Verdict::Known), 1) << pattern;
    }
}

TEST(Gate, APeakOverTheLimitFails) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 100, .allocNs = 5, .freeNs = 9});
    const auto capture = builder.load();
    EXPECT_FALSE(judge(*capture, {}, {.mostPeakBytes = 100}).fails());
    const GateResult result = judge(*capture, {}, {.mostPeakBytes = 99});
    EXPECT_TRUE(result.fails());
    EXPECT_EQ(result.brokenLimits.size(), 1U);
}

TEST(Gate, MissingRecordsLeaveItUndecidedUnlessSomethingFailed) {
    tests::CaptureBuilder builder;
    builder.drop("ring-full", 1);
    const auto capture = builder.load();
    EXPECT_TRUE(judge(*capture, {}, {}).isUndecided());
    const std::vector<Finding> findings{finding("leak.growth", FindingClass::Growing, Confidence::Proven, 9)};
    const GateResult result = judge(*capture, findings, {});
    EXPECT_TRUE(result.fails());
    EXPECT_FALSE(result.isUndecided());
}

TEST(Gate, ShortenedStacksAreNoMissingRecords) {
    tests::CaptureBuilder builder;
    builder.drop("stack-table-full", 10);
    EXPECT_FALSE(judge(*builder.load(), {}, {}).isUndecided());
}

TEST(Gate, AnUnfinishedCaptureIsUndecided) {
    tests::CaptureBuilder builder;
    builder.fact("state", "recording");
    EXPECT_TRUE(judge(*builder.load(), {}, {}).isUndecided());
}

}  // namespace
}  // namespace vramscope::report
