// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/gate.h"

#include <gtest/gtest.h>

#include "analyzer/detectors/detector.h"
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

TEST(Gate, WhatFailedIsSureEvenWithoutTheRest) {
    tests::CaptureBuilder builder;
    builder.fact("state", "recording");
    const std::vector<Finding> findings{
        finding("corruption.double-free", FindingClass::Corruption, Confidence::Proven, 1)};
    EXPECT_TRUE(judge(*builder.load(), findings, {}).fails());
}

/// The families with rules that may fail the default gate.
const std::vector<std::string> kAllThatMayFail{"leak", "corruption", "ordering", "sharing"};

TEST(Gate, RulesThatAreSwitchedOffNeedNoRecords) {
    tests::CaptureBuilder builder;
    builder.drop("ring-full", 1);
    const auto capture = builder.load();
    EXPECT_FALSE(judge(*capture, {}, {.allow = kAllThatMayFail}).isUndecided());
    EXPECT_TRUE(judge(*capture, {}, {.allow = {"leak"}}).isUndecided());
    EXPECT_TRUE(judge(*capture, {}, {.failOn = {"fit"}, .allow = kAllThatMayFail}).isUndecided());
    EXPECT_TRUE(judge(*capture, {}, {.allow = {"leak", "corruption"}, .mostPeakBytes = 1}).isUndecided())
        << "a lost allocation may have been over the limit";
}

TEST(Gate, AWindowLeavesLeakRulesSureUnlessTheyNeedWhatItLetGo) {
    tests::CaptureBuilder builder;
    builder.exec("INSERT INTO dropped_chunks VALUES ('launches', 1, 2, 5000)");
    const auto capture = builder.load();
    const GateResult nothing = judge(*capture, {}, {});
    EXPECT_FALSE(nothing.isUndecided());
    EXPECT_EQ(nothing.gaps.size(), 1U) << "it is told all the same";
    const std::vector<Finding> growth{finding("leak.growth", FindingClass::Growing, Confidence::Possible, 9)};
    const GateResult result = judge(*capture, growth, {});
    ASSERT_TRUE(result.isUndecided());
    EXPECT_NE(result.missingRecords[0].find("leak.growth would fail if it were proven"), std::string::npos)
        << result.missingRecords[0];
    EXPECT_FALSE(judge(*capture, growth, {.allow = {"leak.growth"}}).isUndecided());
}

TEST(Gate, GrowthWithoutLaunchesIsUndecidedAndWithThemPossible) {
    const std::vector<Finding> growth{finding("leak.growth", FindingClass::Growing, Confidence::Possible, 9)};
    tests::CaptureBuilder allocationsOnly;
    allocationsOnly.fact("record_mode", "allocs");
    EXPECT_TRUE(judge(*allocationsOnly.load(), growth, {}).isUndecided());
    tests::CaptureBuilder whole;
    EXPECT_FALSE(judge(*whole.load(), growth, {}).isUndecided()) << "no record is missing";
}

TEST(Gate, LostStacksMatterOnlyToWhatWasLeftWithoutOne) {
    tests::CaptureBuilder builder;
    builder.drop("stack-table-full", 10);
    const auto capture = builder.load();
    EXPECT_FALSE(judge(*capture, {}, {}).isUndecided());
    const std::vector<Finding> left{finding("leak.pinned", FindingClass::Leak, Confidence::Possible, 3)};
    EXPECT_TRUE(judge(*capture, left, {}).isUndecided()) << "three of one stack would fail";
    const std::vector<Finding> few{finding("leak.pinned", FindingClass::Leak, Confidence::Possible, 2)};
    EXPECT_FALSE(judge(*capture, few, {}).isUndecided());
}

TEST(Gate, AnUnfinishedCaptureIsUndecided) {
    tests::CaptureBuilder builder;
    builder.fact("state", "recording");
    EXPECT_TRUE(judge(*builder.load(), {}, {}).isUndecided());
}

TEST(Gate, AProcessThatWasNotRecordedIsUndecided) {
    tests::CaptureBuilder builder;
    builder.exec("UPDATE processes SET off_reason = 'another tool holds CUPTI'");
    EXPECT_TRUE(judge(*builder.load(), {}, {}).isUndecided());
}

TEST(Gate, RulesThatARecordLevelLeavesOutAreToldAndMatterWhenNamed) {
    tests::CaptureBuilder builder;
    builder.fact("record_mode", "launches");
    const auto capture = builder.load();
    const GateResult byDefault = judge(*capture, {}, {});
    EXPECT_FALSE(byDefault.isUndecided()) << "who recorded less has chosen so";
    ASSERT_EQ(byDefault.notJudged.size(), 1U);
    EXPECT_EQ(byDefault.notJudged[0],
              "ordering.* and corruption.use-after-free were not judged: --record=launches leaves out waits, "
              "which --record=all has.");
    for (const char* named :
         {"ordering", "ordering.pending-free", "corruption.use-after-free", "corruption"}) {
        const GateResult result = judge(*capture, {}, {.failOn = {named}});
        EXPECT_TRUE(result.isUndecided()) << named;
        EXPECT_EQ(result.missingRecords, byDefault.notJudged);
    }
    EXPECT_FALSE(judge(*capture, {}, {.failOn = {"leak.at-exit"}}).isUndecided());
    const GateOptions named{.failOn = {"ordering"}, .allow = {"ordering"}};
    EXPECT_FALSE(judge(*capture, {}, named).isUndecided());
    tests::CaptureBuilder whole;
    EXPECT_TRUE(judge(*whole.load(), {}, {}).notJudged.empty());
}

TEST(Gate, WhatWasLostMattersWithoutBeingNamed) {
    tests::CaptureBuilder builder;
    builder.drop("launch-unseen", 1);
    const auto capture = builder.load();
    EXPECT_TRUE(judge(*capture, {}, {}).isUndecided());
    EXPECT_FALSE(judge(*capture, {}, {.allow = {"ordering", "corruption"}}).isUndecided());
}

TEST(Gate, OwnersNeedWorkOnlyWhereThereAreTasks) {
    tests::CaptureBuilder one;
    one.fact("record_mode", "allocs");
    EXPECT_EQ(judge(*one.load(), {}, {}).notJudged.size(), 1U);
    tests::CaptureBuilder several;
    several.fact("record_mode", "allocs");
    several.taskSpan(several.task("user"), 1, 0, 1000);
    const auto capture = several.load();
    EXPECT_EQ(judge(*capture, {}, {}).notJudged.size(), 2U);
    EXPECT_TRUE(judge(*capture, {}, {.failOn = {"corruption.overwrite"}}).isUndecided());
}

TEST(Gate, WordsThatNameNoRuleAreFound) {
    EXPECT_EQ(firstUnknownRule({"leak", "leak.growth", "0123456789abcdef"}), std::nullopt);
    EXPECT_EQ(firstUnknownRule({"leak", "leak.atexit"}), "leak.atexit");
    EXPECT_EQ(firstUnknownRule({"lea"}), "lea");
    EXPECT_EQ(firstUnknownRule({""}), "");
}

/// Two processes run the same code; each leaves this many pinned blocks behind. The second's end is `end`.
GateResult judgedWithSecondEnd(const std::string& end, int leftByFirst, int leftBySecond) {
    tests::CaptureBuilder builder;
    builder.process(2);
    const std::int64_t stack = builder.stack({"/opt/app/train!pin", "/opt/app/train!main"});
    for (int i = 0; i < leftByFirst; ++i)
        builder.allocate({.kind = "pinned", .allocNs = 5, .stack = stack});
    for (int i = 0; i < leftBySecond; ++i)
        builder.allocate({.process = 2, .kind = "pinned", .allocNs = 5, .stack = stack});
    builder.exec("UPDATE processes SET exit_code = NULL, end_kind = '" + end + "' WHERE process_id = 2");
    const auto capture = builder.load();
    const std::vector<Finding> findings = detectors::detectAll(*capture);
    GateResult result = judge(*capture, findings, {});
    for (JudgedFinding& one : result.findings)
        one.finding = nullptr;  // it does not outlive this
    return result;
}

TEST(Gate, AnEndThatNobodySawLeavesItUndecidedWhenItMayHideAFailure) {
    for (const char* end : {"vanished", "running"}) {
        const GateResult result = judgedWithSecondEnd(end, 0, 3);
        EXPECT_FALSE(result.fails()) << end;
        EXPECT_EQ(result.countOf(Verdict::Warns), 1) << end << ": it is listed all the same";
        ASSERT_TRUE(result.isUndecided()) << end;
        EXPECT_NE(result.missingRecords[0].find("pid 2 "), std::string::npos) << result.missingRecords[0];
        EXPECT_FALSE(judgedWithSecondEnd(end, 0, 1).isUndecided()) << "one block would not fail anyway";
        EXPECT_FALSE(judgedWithSecondEnd(end, 0, 0).isUndecided());
        EXPECT_TRUE(judgedWithSecondEnd(end, 3, 3).fails()) << "what the other left is proven";
    }
    EXPECT_FALSE(judgedWithSecondEnd("killed", 0, 3).isUndecided()) << "it had no chance to clean up";
    EXPECT_FALSE(judgedWithSecondEnd("execed", 0, 3).isUndecided());
}

}  // namespace
}  // namespace vramscope::report
