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
              "  FAIL  leak.growth                 +5.0 MiB each time, 20 times  "
              "train.cpp:88 make_mask            new\n"
              "  warn  fit.out-of-memory           90.0 GiB refused              "
              "train.cpp:212 attention           proven\n");
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

TEST(CheckText, SaysWhatIsMissing) {
    tests::CaptureBuilder builder;
    builder.drop("ring-full", 7);
    const auto capture = builder.load();
    EXPECT_EQ(checkText(*capture, judge(*capture, {}, {}), Style(), false),
              "test.vramscope: 0 findings fail, 0 known, 0 warnings, 0 notes\n"
              "  Nothing failed, but this capture cannot show that nothing is wrong:\n"
              "    pid 4711 lost 7 records (ring-full).\n");
}

}  // namespace
}  // namespace vramscope::report
