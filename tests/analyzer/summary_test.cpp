// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/summary.h"

#include <gtest/gtest.h>

#include "tests/analyzer/report_support.h"

namespace vramscope::report {
namespace {

TEST(Summary, PeakEndAndProblems) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    const auto capture = builder.load();
    EXPECT_EQ(summaryText(*capture, detectors::detectAll(*capture)),
              "  peak         128.0 MiB at 0.202 s   train 120.0 MiB   cublas 8.0 MiB\n"
              "  live at end  108.0 MiB   leaking 100.0 MiB\n"
              "  2 problems   leak.growth +5.0 MiB each time, 20 times (train.cpp:88 make_mask)\n"
              "               fit.out-of-memory 90.0 GiB refused (train.cpp:212 attention)\n");
}

TEST(Summary, NothingFound) {
    tests::CaptureBuilder builder;
    EXPECT_EQ(summaryText(*builder.load(), {}),
              "  peak         no device memory was allocated\n"
              "  live at end  0 bytes\n"
              "  no problems found\n");
}

TEST(Summary, ARecordingThatStoppedDoesNotClaimThatNothingIsWrong) {
    tests::CaptureBuilder builder;
    builder.fact("state", "recording");
    builder.fact("stopped_because", "database or disk is full.");
    EXPECT_EQ(summaryText(*builder.load(), {}),
              "  peak         no device memory was allocated\n"
              "  live at end  0 bytes\n"
              "  no problems found in what was recorded; recording stopped at 10.0 s: database or disk is "
              "full\n");
}

TEST(Summary, ProblemsAndWhatIsMissing) {
    tests::CaptureBuilder builder;
    tests::busyCapture(builder);
    builder.drop("ring-full", 2);
    const auto capture = builder.load();
    const std::string text = summaryText(*capture, detectors::detectAll(*capture));
    EXPECT_NE(text.find("\n  found        in what was recorded; 2 records lost\n"), std::string::npos)
        << text;
}

TEST(Summary, NamesTheMemoryThatRecordingCosts) {
    tests::CaptureBuilder builder;
    // The one that follows it after a reset does not add to it.
    builder.exec("UPDATE contexts SET collector_bytes = 14 * 1048576, end_ns = 50");
    builder.exec(
        "INSERT INTO contexts(context_id, process_id, context_uid, handle, device_id, is_primary, start_ns, "
        "collector_bytes) VALUES (2, 1, 2, 2, 1, 1, 60, 14 * 1048576)");
    EXPECT_NE(summaryText(*builder.load(), {}).find("  our cost     14.0 MiB of the card, estimated\n"),
              std::string::npos);
}

}  // namespace
}  // namespace vramscope::report
