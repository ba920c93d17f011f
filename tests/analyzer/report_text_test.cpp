// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_text.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "tests/analyzer/report_support.h"

namespace vramscope::report {
namespace {

std::string goldenFile(const std::string& name) {
    return std::string(VRAMSCOPE_GOLDEN_FOLDER) + "/" + name;
}

std::string readGolden(const std::string& name) {
    std::ifstream file(goldenFile(name));
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Compares with the file; with VRAMSCOPE_UPDATE_GOLDEN set it writes the file instead, to be read in review.
void expectGolden(const std::string& name, const std::string& text) {
    if (std::getenv("VRAMSCOPE_UPDATE_GOLDEN") != nullptr) std::ofstream(goldenFile(name)) << text;
    EXPECT_EQ(text, readGolden(name));
}

TEST(ReportText, ABusyCapture) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    const auto capture = builder.load();
    expectGolden("report_busy.txt", reportText(*capture, detectors::detectAll(*capture), {}));
}

TEST(ReportText, EachFindingNamesTheCommandThatShowsIt) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    const auto capture = builder.load();
    ReportOptions options;
    options.hasViewer = true;
    expectGolden("report_links.txt", reportText(*capture, detectors::detectAll(*capture), options));
}

TEST(ReportText, AKilledProcess) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 64 * tests::kMiB,
                      .allocNs = tests::kMs,
                      .stack = builder.stack({"/opt/app/train!load@train.cpp:5"})});
    builder.allocate({.kind = "pinned", .bytes = 16 * tests::kMiB, .allocNs = tests::kMs});
    builder.processEnd(1, "killed", 9);
    builder.fact("state", "recovered");
    const auto capture = builder.load();
    expectGolden("report_killed.txt", reportText(*capture, detectors::detectAll(*capture), {}));
}

TEST(ReportText, NothingWrong) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 64 * tests::kMiB, .allocNs = tests::kMs, .freeNs = 2 * tests::kMs});
    const auto capture = builder.load();
    const std::string text = reportText(*capture, detectors::detectAll(*capture), {});
    EXPECT_NE(text.find("NO PROBLEMS FOUND"), std::string::npos);
    EXPECT_NE(text.find("Everything was given back."), std::string::npos);
}

TEST(ReportText, LossesAreTold) {
    tests::CaptureBuilder builder;
    builder.drop("ring-full", 12);
    builder.exec("INSERT INTO notes VALUES (5, 1, 'warning', 'cupti-busy', 'another tool holds CUPTI')");
    const auto capture = builder.load();
    const std::string text = reportText(*capture, {}, {});
    EXPECT_NE(text.find("complete, 12 records lost"), std::string::npos) << text;
    EXPECT_NE(text.find("pid 4711 lost 12 records (ring-full)."), std::string::npos) << text;
    EXPECT_NE(text.find("warning: another tool holds CUPTI"), std::string::npos) << text;
}

TEST(ReportText, TextsOfAStrangerCannotSteerTheTerminal) {
    tests::CaptureBuilder builder;
    builder.fact("command", "train \x1b[2J\x07");
    const std::string text = headerSection(*builder.load());
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_NE(text.find("\\x1b[2J\\x07"), std::string::npos);
}

TEST(ReportText, ColoursOnlyWhenAskedFor) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    const auto capture = builder.load();
    const auto findings = detectors::detectAll(*capture);
    ReportOptions coloured;
    coloured.style = Style(true);
    EXPECT_EQ(reportText(*capture, findings, {}).find('\x1b'), std::string::npos);
    EXPECT_NE(reportText(*capture, findings, coloured).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace vramscope::report
