// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "tests/collector/unwind_compare.h"
#include "tests/collector/unwind_libs/calls.h"

// Called by the lazily bound library through its procedure linkage table.
extern "C" __attribute__((visibility("default"))) void unwindTestLazyTarget(UnwindTestCallback callback,
                                                                            void* data) {
    callback(data);
    vramscope::unwind::keepFrame();
}

namespace vramscope::unwind {
namespace {

void expectEqualAndComplete(const Comparison& both) {
    EXPECT_EQ(both.ours, both.expected);
    EXPECT_EQ(both.result.end, UnwindEnd::Complete);
    EXPECT_FALSE(both.result.isBridged);
}

__attribute__((noinline)) Comparison recurse(int depth) {
    if (depth == 0) return takeBoth();
    Comparison both = recurse(depth - 1);
    keepFrame();
    return both;
}

// An aligned local beside alloca makes GCC address the incoming stack, and the table its CFA, through a saved
// pointer.
__attribute__((noinline)) int realigned(Comparison* both, size_t sizeBytes) {
    alignas(64) volatile int values[16] = {7};
    auto* bytes = static_cast<volatile char*>(alloca(sizeBytes));
    bytes[0] = 1;
    *both = takeBoth();
    return values[0] + bytes[0];
}

__attribute__((noinline)) int largeFrame(Comparison* both) {
    volatile char bytes[1 << 20];
    bytes[0] = 1;
    *both = takeBoth();
    return bytes[0];
}

__attribute__((noinline)) int variableFrame(Comparison* both, size_t sizeBytes) {
    auto* bytes = static_cast<volatile char*>(alloca(sizeBytes));
    bytes[0] = 1;
    *both = takeBoth();
    return bytes[0];
}

TEST(UnwindBacktrace, FromHere) {
    expectEqualAndComplete(takeBoth());
}

TEST(UnwindBacktrace, SameOnWarmRules) {
    for (int i = 0; i < 3; ++i)
        expectEqualAndComplete(takeBoth());
}

TEST(UnwindBacktrace, TwoHundredFramesDeep) {
    const Comparison both = recurse(200);
    EXPECT_GT(both.ours.size(), 200u);
    expectEqualAndComplete(both);
}

TEST(UnwindBacktrace, StopsAtTheLimit) {
    uint64_t addresses[4] = {};
    const auto result = Unwinder::processWide().unwind(addresses, 3, findStackBounds());
    EXPECT_EQ(result.count, 3u);
    EXPECT_EQ(result.end, UnwindEnd::DepthLimit);
    EXPECT_EQ(addresses[3], 0u);
}

TEST(UnwindBacktrace, ThroughRealignedFrame) {
    Comparison both;
    volatile size_t sizeBytes = 999;  // unknown to the compiler, so the frame is of variable size
    EXPECT_EQ(realigned(&both, sizeBytes), 8);
    expectEqualAndComplete(both);
}

TEST(UnwindBacktrace, ThroughMebibyteFrame) {
    Comparison both;
    EXPECT_EQ(largeFrame(&both), 1);
    expectEqualAndComplete(both);
}

TEST(UnwindBacktrace, ThroughVariableFrame) {
    Comparison both;
    volatile size_t sizeBytes = 12345;
    EXPECT_EQ(variableFrame(&both, sizeBytes), 1);
    expectEqualAndComplete(both);
}

TEST(UnwindBacktrace, ThroughLibraryWithoutFramePointer) {
    Comparison both;
    unwindTestNoFramePointer(takeBothInto, &both, 20);
    EXPECT_GT(both.ours.size(), 20u);
    expectEqualAndComplete(both);
}

TEST(UnwindBacktrace, ThroughLazyBinding) {
    for (int i = 0; i < 2; ++i) {  // the first call goes through the resolver
        Comparison both;
        unwindTestLazy(takeBothInto, &both);
        expectEqualAndComplete(both);
    }
}

Comparison* g_fromQsort = nullptr;

int compareAndTake(const void* left, const void* right) {
    if (g_fromQsort->ours.empty()) *g_fromQsort = takeBoth();
    return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

TEST(UnwindBacktrace, ThroughLibcQsort) {
    Comparison both;
    g_fromQsort = &both;
    int values[] = {3, 1, 2};
    qsort(values, 3, sizeof(int), compareAndTake);
    ASSERT_FALSE(both.ours.empty());
    expectEqualAndComplete(both);
}

TEST(UnwindBacktrace, ThroughStdSort) {
    Comparison both;
    std::vector<int> values{5, 3, 9, 1};
    std::sort(values.begin(), values.end(), [&both](int left, int right) {
        if (both.ours.empty()) both = takeBoth();
        return left < right;
    });
    ASSERT_FALSE(both.ours.empty());
    expectEqualAndComplete(both);
}

TEST(UnwindBacktrace, FromThread) {
    Comparison both;
    std::thread([&both] { both = recurse(30); }).join();
    EXPECT_GT(both.ours.size(), 30u);
    expectEqualAndComplete(both);
}

TEST(UnwindBacktrace, FromManyThreadsAtOnceWhileRulesAreDropped) {
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (size_t t = 0; t < wrong.size(); ++t) {
        threads.emplace_back([&wrong, t] {
            for (int i = 0; i < 200; ++i) {
                const Comparison both = recurse(40);
                if (both.ours != both.expected || both.result.isTruncated()) ++wrong[t];
                if (i % 20 == 0) Unwinder::processWide().dropRules();
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace vramscope::unwind
