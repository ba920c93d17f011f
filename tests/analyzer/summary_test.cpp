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
              "  2 problems   leak.growth +5.0 MiB each time, 20 times (train.cpp:88 make_mask)"
              "   fit.out-of-memory 90.0 GiB refused (train.cpp:212 attention)\n");
}

TEST(Summary, NothingFound) {
    tests::CaptureBuilder builder;
    EXPECT_EQ(summaryText(*builder.load(), {}),
              "  peak         no device memory was allocated\n"
              "  live at end  0 bytes\n"
              "  no problems found\n");
}

}  // namespace
}  // namespace vramscope::report
