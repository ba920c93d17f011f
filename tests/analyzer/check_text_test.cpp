// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/check_text.h"

#include <gtest/gtest.h>

#include "tests/analyzer/report_support.h"

namespace vramscope::report {
namespace {

TEST(CheckText, OneLineAFindingFailingFirst) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    const auto capture = builder.load();
    const auto findings = detectors::detectAll(*capture);
    EXPECT_EQ(checkText(*capture, judge(*capture, findings, {}), Style(), false),
              "test.vramscope: 1 finding fails, 0 known, 1 warning, 1 note\n"
              "  FAIL  leak.growth                +5.0 MiB each time, 20 times  "
              "train.cpp:88 make_mask                new\n"
              "  warn  fit.out-of-memory          90.0 GiB refused              "
              "train.cpp:212 attention               proven\n");
}

TEST(CheckText, NotesOnDemand) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    const auto capture = builder.load();
    const auto findings = detectors::detectAll(*capture);
    const std::string text = checkText(*capture, judge(*capture, findings, {}), Style(), true);
    EXPECT_NE(text.find("note  leak.at-exit"), std::string::npos) << text;
    EXPECT_NE(text.find("library-workspace"), std::string::npos) << text;
}

TEST(CheckText, NamesTheCommandThatShowsAFinding) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    // Its texts lie in the first one's pool.
    const auto loaded = builder.load();
    const auto capture = std::make_shared<model::Capture>(*loaded);
    const auto findings = detectors::detectAll(*capture);
    const auto result = judge(*capture, findings, {});
    EXPECT_NE(checkText(*capture, result, Style(), false, true)
                  .find("new\n        see   vramscope open test.vramscope --goto finding:" +
                        findings.front().fingerprint + "\n  warn"),
              std::string::npos)
        << checkText(*capture, result, Style(), false, true);
    // What is pasted into a shell must stay one word.
    capture->path = "it's mine.vramscope";
    EXPECT_NE(checkText(*capture, result, Style(), false, true)
                  .find("vramscope open 'it'\\''s mine.vramscope' --goto finding:"),
              std::string::npos);
    EXPECT_EQ(checkText(*capture, result, Style(), false).find("--goto"), std::string::npos);
}

TEST(CheckText, SaysWhatIsMissing) {
    tests::CaptureBuilder builder;
    builder.drop("ring-full", 7);
    const auto capture = builder.load();
    EXPECT_EQ(checkText(*capture, judge(*capture, {}, {}), Style(), false),
              "test.vramscope: 0 findings fail, 0 known, 0 warnings, 0 notes\n"
              "  Nothing failed, but this capture cannot show that nothing is wrong:\n"
              "    pid 4711 lost 7 records (ring-full).\n");
}

TEST(CheckText, NeverClaimsMoreThanTheRecord) {
    tests::CaptureBuilder stacks;
    stacks.drop("stack-table-full", 7);
    const auto capture = stacks.load();
    EXPECT_EQ(checkText(*capture, judge(*capture, {}, {}), Style(), false),
              "test.vramscope: 0 findings fail, 0 known, 0 warnings, 0 notes\n"
              "  Something is missing, but nothing that these rules need:\n"
              "    pid 4711 lost 7 stacks (stack-table-full).\n");
    tests::CaptureBuilder lossy;
    tests::busyCapture(lossy);
    lossy.fact("state", "recording");
    const auto cut = lossy.load();
    auto findings = detectors::detectAll(*cut);
    findings[0].confidence = detectors::Confidence::Proven;
    findings[0].findingClass = detectors::FindingClass::Growing;
    const std::string text = checkText(*cut, judge(*cut, findings, {}), Style(), false);
    EXPECT_NE(text.find("What failed is sure. More may be wrong"), std::string::npos) << text;
}

TEST(CheckText, SaysThatNothingWasRecorded) {
    tests::CaptureBuilder builder;
    builder.exec("DELETE FROM processes");
    const auto capture = builder.load();
    EXPECT_NE(checkText(*capture, judge(*capture, {}, {}), Style(), false).find("Nothing was recorded"),
              std::string::npos);
}

TEST(CheckText, NamesTheRuleThatCouldNotBeProven) {
    tests::CaptureBuilder builder;
    tests::leakingLoop(builder, 20, tests::kMiB);
    builder.exec("INSERT INTO dropped_chunks VALUES ('launches', 1, 2, 5000)");
    const auto capture = builder.load();
    const auto findings = detectors::detectAll(*capture);
    const std::string text = checkText(*capture, judge(*capture, findings, {}), Style(), false);
    EXPECT_NE(text.find("leak.growth would fail if it were proven"), std::string::npos) << text;
}

TEST(CheckText, NamesTheProcessWhoseEndNobodySaw) {
    tests::CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!pin", "/opt/app/train!main"});
    for (int i = 0; i < 3; ++i)
        builder.allocate({.kind = "pinned", .allocNs = 5, .stack = stack});
    builder.exec("UPDATE processes SET exit_code = NULL, end_kind = 'running'");
    const auto capture = builder.load();
    const auto findings = detectors::detectAll(*capture);
    const std::string text = checkText(*capture, judge(*capture, findings, {}), Style(), false);
    EXPECT_NE(text.find("this capture cannot show that nothing is wrong"), std::string::npos) << text;
    EXPECT_NE(text.find("a recording that lasts until pid 4711 has ended"), std::string::npos) << text;
}

}  // namespace
}  // namespace vramscope::report
