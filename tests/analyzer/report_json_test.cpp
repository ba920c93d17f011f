// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/analyzer/report_support.h"

namespace vramscope::report {
namespace {

TEST(ReportJson, SaysWhatTheTextSaysInExactNumbers) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    const auto capture = builder.load();
    const auto json = reportJson(*capture, detectors::detectAll(*capture), {});
    EXPECT_EQ(json["schema"], "vramscope/report/1");
    EXPECT_EQ(json["live_at_end"]["bytes"], 108 * tests::kMiB);
    EXPECT_EQ(json["peak"]["bytes"], (19 * 5 + 25 + 8) * tests::kMiB);
    EXPECT_EQ(json["completeness"]["allocations_are_whole"], true);
    bool sawGrowth = false;
    for (const auto& finding : json["findings"]) {
        if (finding["rule"] != "leak.growth") continue;
        sawGrowth = true;
        EXPECT_EQ(finding["bytes"], 100 * tests::kMiB);
        EXPECT_EQ(finding["class"], "growing");
        EXPECT_EQ(finding["stacks"][0]["frames"][0]["function"], "make_mask");
        EXPECT_EQ(finding["buffers"].size(), 20U);
    }
    EXPECT_TRUE(sawGrowth);
}

TEST(CheckJson, CarriesTheVerdict) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    const auto capture = builder.load();
    const auto findings = detectors::detectAll(*capture);
    const auto json = checkJson(*capture, judge(*capture, findings, {}));
    EXPECT_EQ(json["verdict"], "fail");
    EXPECT_EQ(json["findings"][0]["verdict"], "fail");
    EXPECT_EQ(json["findings"][0]["rule"], "leak.growth");
}

}  // namespace
}  // namespace vramscope::report
