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

TEST(LeakObject, ALibrarysFewAreOneWorkspaceWithItsMany) {
    CaptureBuilder builder;
    const std::int64_t few = builder.stack({"/usr/lib/libcublas.so.13!cublasCreate_v2", "/opt/app/train!a"});
    const std::int64_t many = builder.stack({"/usr/lib/libcublas.so.13!cublasCreate_v2", "/opt/app/train!b"});
    for (int i = 0; i < 10; ++i)
        builder.object("event", 100 + i, kMs + i, std::nullopt, i < 2 ? few : many);
    for (int i = 0; i < 50; ++i)
        builder.launch((10 + i) * kMs);
    const auto found = findingsOf(detectAll(*builder.load()), "leak.object");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].findingClass, FindingClass::LibraryWorkspace);
    EXPECT_EQ(found[0].count, 10);
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

TEST(LeakObject, AReferenceFromEachOfManyPlacesIsNothing) {
    CaptureBuilder builder;
    for (const char* place : {"libcudart.so.13!cudaFree", "train!main", "libnccl.so!init", "libcupy.so!use"})
        builder.object("context-reference", 1, kMs, std::nullopt, builder.stack({place}));
    EXPECT_TRUE(detectAll(*builder.load()).empty());
}

TEST(LeakObject, OneReferenceForEachDeviceIsNothing) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!useAllDevices"});
    for (int device = 0; device < 8; ++device) {
        builder.object("context-reference", 1 + device, kMs, std::nullopt, stack);
        builder.exec(
            "UPDATE objects SET context_id = 1 + (SELECT max(object_id) FROM objects) WHERE object_id = "
            "(SELECT max(object_id) FROM objects)");
    }
    EXPECT_TRUE(detectAll(*builder.load()).empty());
}

TEST(LeakObject, ReferencesTakenInALoopAreALeak) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!prepare", "/opt/app/train!main"});
    for (int i = 0; i < 11; ++i)
        builder.object("context-reference", 1, i * kMs, std::nullopt, stack);
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.object");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Leak);
    EXPECT_EQ(findings[0].headline, "11 context references");
}

TEST(LeakObject, TheRuntimesContextReferenceIsNothing) {
    CaptureBuilder builder;
    builder.object("context-reference", 1, 0, std::nullopt, builder.stack({"/opt/app/train!main"}));
    builder.object("module", 2, 0, std::nullopt, builder.stack({"/opt/app/train!main"}));
    EXPECT_TRUE(detectAll(*builder.load()).empty());
}

}  // namespace
}  // namespace vramscope::tests
