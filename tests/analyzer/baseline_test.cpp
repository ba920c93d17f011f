// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/baseline.h"

#include <fstream>
#include <gtest/gtest.h>

#include "analyzer/report/gate.h"
#include "tests/analyzer/report_support.h"

namespace vramscope::report {
namespace {

std::filesystem::path writeFile(const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
    std::ofstream(path) << text;
    return path;
}

TEST(Baseline, WhatWasWrittenIsKnownTheNextTime) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    const auto capture = builder.load();
    const auto findings = detectors::detectAll(*capture);
    ASSERT_TRUE(judge(*capture, findings, {}).fails());
    std::vector<const detectors::Finding*> all;
    for (const auto& finding : findings)
        all.push_back(&finding);
    auto baseline = Baseline::load(writeFile("known.txt", baselineText(*capture, all)));
    ASSERT_TRUE(baseline.isOk()) << baseline.status().message();
    const GateResult result = judge(*capture, findings, {.baseline = *baseline});
    EXPECT_FALSE(result.fails());
    bool sawGrowth = false;
    for (const JudgedFinding& judged : result.findings) {
        if (judged.finding->rule != "leak.growth") continue;
        sawGrowth = true;
        EXPECT_EQ(judged.verdict, Verdict::Known);
        EXPECT_EQ(judged.reason, "known.txt:2");
    }
    EXPECT_TRUE(sawGrowth);
}

TEST(Baseline, NamesTheLineThatIsWrong) {
    const auto baseline =
        Baseline::load(writeFile("wrong.txt", "# fine\n0123456789abcdef  # fine\n\nhello\n"));
    ASSERT_FALSE(baseline.isOk());
    EXPECT_NE(baseline.status().message().find("line 4"), std::string::npos) << baseline.status().message();
}

TEST(Baseline, AMissingFileSaysHowToMakeIt) {
    const auto baseline = Baseline::load("/nowhere/known.txt");
    ASSERT_FALSE(baseline.isOk());
    EXPECT_NE(baseline.status().message().find("--write-baseline"), std::string::npos);
}

}  // namespace
}  // namespace vramscope::report
