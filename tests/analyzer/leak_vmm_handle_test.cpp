// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::detectAll;
using detectors::FindingClass;

TEST(LeakVmmHandle, UnmappedButNeverReleasedStaysResident) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!grow_heap", "/opt/app/train!main"});
    for (int i = 0; i < 3; ++i)
        builder.vmmHandle(64 * kMiB, i * kMs, std::nullopt, 1, 0, stack);
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.vmm-handle");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Leak);
    EXPECT_EQ(findings[0].bytes, 192 * kMiB);
    EXPECT_EQ(findings[0].sentence,
              "3 handles, 192.0 MiB of physical memory: resident but unmapped, never released.");
    EXPECT_EQ(findings[0].stacks.at(0).stack.value, stack);
}

TEST(LeakVmmHandle, ReleasedHandlesAreNothing) {
    CaptureBuilder builder;
    builder.vmmHandle(64 * kMiB, kMs, 5 * kMs, 0, 0, std::nullopt);
    EXPECT_TRUE(detectAll(*builder.load()).empty());
}

TEST(LeakVmmHandle, StillMappedIsLeftAtExit) {
    CaptureBuilder builder;
    builder.vmmHandle(64 * kMiB, kMs, std::nullopt, 0, 1, builder.stack({"/opt/app/train!main"}));
    const auto all = detectAll(*builder.load());
    EXPECT_TRUE(findingsOf(all, "leak.vmm-handle").empty());
    const auto findings = findingsOf(all, "leak.at-exit");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::OneTime);
}

}  // namespace
}  // namespace vramscope::tests
