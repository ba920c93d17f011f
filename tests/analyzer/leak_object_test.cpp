// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::detectAll;
using detectors::FindingClass;

TEST(LeakObject, ATextureForEachCallIsALeak) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!sample_image", "/opt/app/train!main"});
    for (int i = 0; i < 7; ++i)
        builder.object("texture", 100 + i, i * kMs, std::nullopt, stack);
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.object");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Leak);
    EXPECT_EQ(findings[0].count, 7);
    EXPECT_EQ(findings[0].sentence, "7 texture objects created and never destroyed, all from one place.");
}

TEST(LeakObject, DestroyedObjectsAreNothing) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!main"});
    for (int i = 0; i < 7; ++i)
        builder.object("event", 100 + i, i * kMs, i * kMs + 10, stack);
    EXPECT_TRUE(detectAll(*builder.load()).empty());
}

TEST(LeakObject, AStreamAndAnEventForTheWholeRunAreOneTime) {
    CaptureBuilder builder;
    builder.object("stream", 1, kMs, std::nullopt, builder.stack({"/opt/app/train!main"}));
    builder.object("event", 2, kMs, std::nullopt, builder.stack({"/opt/app/train!init"}));
    const auto all = detectAll(*builder.load());
    EXPECT_EQ(problemsIn(all), "");
    EXPECT_EQ(findingsOf(all, "leak.object").size(), 2U);
}

TEST(LeakObject, AFrameworksStreamPoolIsNoLeak) {
    CaptureBuilder builder;
    const std::int64_t stack =
        builder.stack({"/site-packages/torch/lib/libc10_cuda.so!initDeviceStreamState"});
    for (int i = 0; i < 32; ++i)
        builder.object("stream", 100 + i, kMs + i, std::nullopt, stack);
    for (int i = 0; i < 50; ++i)
        builder.launch((10 + i) * kMs);
    EXPECT_EQ(problemsIn(detectAll(*builder.load())), "");
}

TEST(LeakObject, EventsThatALibraryKeepsMakingAreALeak) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/site-packages/torch/lib/libc10_cuda.so!createEvent"});
    for (int i = 0; i < 50; ++i) {
        builder.object("event", 100 + i, (10 + i) * kMs, std::nullopt, stack);
        builder.launch((10 + i) * kMs + 1000);
    }
    EXPECT_NE(problemsIn(detectAll(*builder.load())), "");
}

TEST(LeakObject, TheRuntimesContextReferenceIsNothing) {
    CaptureBuilder builder;
    builder.object("context-reference", 1, 0, std::nullopt, builder.stack({"/opt/app/train!main"}));
    builder.object("module", 2, 0, std::nullopt, builder.stack({"/opt/app/train!main"}));
    EXPECT_TRUE(detectAll(*builder.load()).empty());
}

}  // namespace
}  // namespace vramscope::tests
