// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::detectAll;
using detectors::FindingClass;

TEST(LeakAtExit, SeveralFromOnePlaceAreALeak) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!load", "/opt/app/train!main"});
    for (int i = 0; i < 2; ++i)
        builder.allocate({.bytes = 3 * kMiB, .allocNs = i * kMs, .stack = stack});
    builder.allocate({.allocNs = kMs, .freeNs = 2 * kMs, .stack = stack});
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.at-exit");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Leak);
    EXPECT_EQ(findings[0].confidence, Confidence::Proven);
    EXPECT_EQ(findings[0].sentence, "2 buffers, 6.0 MiB still live when the process ended.");
}

TEST(LeakAtExit, OneBlockIsOneTime) {
    CaptureBuilder builder;
    builder.allocate({.bytes = 10 * kMiB, .stack = builder.stack({"/opt/app/train!main"})});
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.at-exit");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::OneTime);
}

TEST(LeakAtExit, LibrariesKeepTheirMemoryOnPurpose) {
    CaptureBuilder builder;
    const std::int64_t cublas =
        builder.stack({"/usr/lib/libcuda.so.1!cuMemAlloc_v2", "/usr/lib/libcublas.so.13!cublasCreate_v2",
                       "/opt/app/train!main"});
    const std::int64_t torch =
        builder.stack({"/site-packages/torch/lib/libc10_cuda.so!alloc_block", "/usr/bin/python3.12!main"});
    for (int i = 0; i < 3; ++i) {
        builder.allocate({.allocNs = kMs, .stack = cublas});
        builder.allocate({.allocNs = kMs, .stack = torch});
        builder.allocate({.kind = "pinned", .allocNs = kMs, .stack = torch});
    }
    const auto all = detectAll(*builder.load());
    EXPECT_EQ(problemsIn(all), "");
    const auto findings = findingsOf(all, "leak.at-exit");
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_NE(findings[0].findingClass, findings[1].findingClass);
    for (const auto& finding : findings) {
        EXPECT_TRUE(finding.findingClass == FindingClass::LibraryWorkspace ||
                    finding.findingClass == FindingClass::PoolCache);
    }
}

TEST(LeakAtExit, WhatALibraryKeepsIsOneFindingWhateverThePlaces) {
    CaptureBuilder builder;
    for (const char* place :
         {"/x/libcublas.so.13!create", "/x/libcublas.so.13!gemm", "/x/libcublas.so.13!set_stream"}) {
        builder.allocate({.bytes = 2 * kMiB, .allocNs = kMs, .stack = builder.stack({place})});
    }
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.at-exit");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].parts, 3);
    EXPECT_EQ(findings[0].bytes, 6 * kMiB);
}

TEST(LeakAtExit, AKilledProcessLeaksNothing) {
    CaptureBuilder builder;
    for (int i = 0; i < 3; ++i) {
        builder.allocate({.allocNs = kMs});
        builder.allocate({.kind = "pinned", .allocNs = kMs});
    }
    builder.processEnd(1, "killed", 9);
    EXPECT_TRUE(detectAll(*builder.load()).empty());
}

TEST(LeakAtExit, AnErrorExitMakesItPossibleOnly) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!load"});
    for (int i = 0; i < 3; ++i)
        builder.allocate({.allocNs = kMs, .stack = stack});
    builder.processEnd(1, "exited", 3);
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.at-exit");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Possible);
}

TEST(LeakAtExit, RanksWithTheSameFaultAreOneFinding) {
    CaptureBuilder builder;
    builder.process(2);
    const std::int64_t stack = builder.stack({"/opt/app/train!load", "/opt/app/train!main"});
    for (const std::int64_t process : {1, 2}) {
        for (int i = 0; i < 2; ++i)
            builder.allocate({.process = process, .allocNs = kMs, .stack = stack});
    }
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.at-exit");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].count, 4);
    EXPECT_EQ(findings[0].largestStackCount, 2);
    EXPECT_EQ(findings[0].processes.size(), 2U);
}

TEST(LeakPinned, ThreeFromOneStackAreALeak) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!stage"});
    for (int i = 0; i < 3; ++i)
        builder.allocate({.kind = "pinned", .bytes = 2 * kMiB, .allocNs = kMs, .stack = stack});
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.pinned");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Leak);
    EXPECT_EQ(findings[0].largestStackCount, 3);
    EXPECT_EQ(findings[0].bytes, 6 * kMiB);
}

TEST(LeakPinned, WithoutAStackNothingIsProven) {
    CaptureBuilder builder;
    for (int i = 0; i < 5; ++i)
        builder.allocate({.kind = "pinned", .bytes = 2 * kMiB, .allocNs = kMs});
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.pinned");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Possible);
}

TEST(LeakIpcMapping, ImportsThatAreNeverClosed) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!import_tensor"});
    for (int i = 0; i < 4; ++i)
        builder.allocate({.kind = "ipc", .bytes = 2 * kMiB, .allocNs = kMs, .stack = stack});
    const auto findings = findingsOf(detectAll(*builder.load()), "leak.ipc-mapping");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Leak);
    EXPECT_EQ(findings[0].sentence,
              "4 mappings of another process's memory, 8.0 MiB, opened and never closed.");
}

}  // namespace
}  // namespace vramscope::tests
