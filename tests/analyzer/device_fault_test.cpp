// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/device_fault.h"

#include <gtest/gtest.h>

#include "analyzer/report/report_text.h"
#include "analyzer/report/summary.h"
#include "tests/analyzer/report_support.h"

namespace vramscope::report {
namespace {

/// An allocation that fails for want of memory, then a fault, which two calls are told.
void faultyCapture(tests::CaptureBuilder& builder) {
    const auto stack =
        builder.stack({"/opt/app/train!step@train.cpp:40", "/opt/app/train!main@train.cpp:12"});
    builder.failedCall("cuMemAlloc", "alloc", 2, 100 * tests::kMs, 0, 1 << 20, stack);
    builder.failedCall("cuMemFree", "free", 700, 300 * tests::kMs, 0x1000, 0, stack, 3);
    builder.failedCall("cuStreamSynchronize", "other", 700, 200 * tests::kMs, 0, 0, stack);
}

TEST(DeviceFault, IsToldByTheFirstCallThatHearsOfIt) {
    tests::CaptureBuilder builder;
    faultyCapture(builder);
    const auto capture = builder.load();
    ASSERT_NE(model::firstDeviceFault(*capture), nullptr);
    EXPECT_EQ(model::firstDeviceFault(*capture)->api, "cuStreamSynchronize");
    const std::string problems = problemsSection(*capture, {}, {});
    EXPECT_NE(problems.find("PROBLEMS\n\n  !   device fault\n"
                            "      The first error of the job: cuStreamSynchronize gave CUDA_ERROR"),
              std::string::npos)
        << problems;
    EXPECT_NE(problems.find("(700) at 0.200 s."), std::string::npos) << problems;
    EXPECT_NE(problems.find("step"), std::string::npos) << problems;
    EXPECT_EQ(problems.find("NO PROBLEMS"), std::string::npos) << problems;
    const std::string summary = summaryText(*capture, {});
    EXPECT_NE(summary.find("  1 problem    device fault, told to cuStreamSynchronize: "), std::string::npos)
        << summary;
}

TEST(DeviceFault, OtherFailuresAreNone) {
    tests::CaptureBuilder builder;
    for (const int error : {1, 2, 100, 201, 400, 701, 704, 801, 900})
        builder.failedCall("cuLaunchKernel", "other", error, 100 * tests::kMs, 0, 0, {});
    const auto capture = builder.load();
    EXPECT_EQ(model::firstDeviceFault(*capture), nullptr);
    EXPECT_NE(problemsSection(*capture, {}, {}).find("NO PROBLEMS FOUND"), std::string::npos);
    EXPECT_NE(summaryText(*capture, {}).find("no problems found"), std::string::npos);
}

}  // namespace
}  // namespace vramscope::report
