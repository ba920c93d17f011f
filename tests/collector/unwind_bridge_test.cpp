// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>

#include "tests/collector/unwind_compare.h"
#include "tests/collector/unwind_libs/calls.h"

// Code for which there is no usable table, and frames at which an unwind has to end.
namespace vramscope::unwind {
namespace {

struct Taken {
    uint64_t addresses[256] = {};
    UnwindResult result;
};

void takeInto(void* data) {
    auto* taken = static_cast<Taken*>(data);
    taken->result = Unwinder::processWide().unwind(taken->addresses, 256, findStackBounds());
}

/// The outermost frames are the same for every stack of this thread: what an unwind must end with to be
/// right.
std::vector<uint64_t> outermostFrames() {
    const Comparison both = takeBoth();
    return {both.expected.end() - 3, both.expected.end()};
}

bool endsWith(const Taken& taken, const std::vector<uint64_t>& tail) {
    return taken.result.count >= tail.size() &&
           std::equal(tail.begin(), tail.end(), taken.addresses + taken.result.count - tail.size());
}

/// Has a frame pointer of its own, which code without a table below it leaves alone. Gives its own return
/// address.
__attribute__((noinline)) uint64_t callFramed(void (*call)(UnwindTestCallback, void*), Taken* taken) {
    // Asking for the frame's address makes the compiler set up a frame pointer.
    void* volatile frame = __builtin_frame_address(0);
    call(takeInto, taken);
    EXPECT_NE(frame, nullptr);
    return reinterpret_cast<uint64_t>(__builtin_return_address(0));
}

TEST(UnwindBridge, CrossesCodeWithoutTableByFramePointer) {
    Taken taken;
    const uint64_t returnAddress = callFramed(unwindTestNoTable, &taken);
    EXPECT_TRUE(taken.result.isBridged);
    EXPECT_EQ(taken.result.end, UnwindEnd::Complete);
    EXPECT_TRUE(endsWith(taken, outermostFrames()));
    // takeInto, the library's two functions, callFramed, and its caller: nobody is missing.
    ASSERT_GT(taken.result.count, 5u);
    EXPECT_EQ(taken.addresses[4], returnAddress);
}

TEST(UnwindBridge, StopsAtCodeWithNeitherTableNorFramePointer) {
    Taken taken;
    callFramed(unwindTestNoTableNoFramePointer, &taken);
    EXPECT_EQ(taken.result.end, UnwindEnd::UnknownCode);
    EXPECT_FALSE(taken.result.isBridged);
    EXPECT_TRUE(taken.result.isTruncated());
    EXPECT_EQ(taken.result.count, 2u);  // takeInto and the library's inner frame
}

Taken g_fromSignal;

void onSignal(int) {
    takeInto(&g_fromSignal);
    keepFrame();
}

TEST(UnwindBridge, StopsAtSignalFrame) {
    struct sigaction action = {};
    struct sigaction old = {};
    action.sa_handler = onSignal;
    ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &old, nullptr);
    EXPECT_EQ(g_fromSignal.result.end, UnwindEnd::SignalFrame);
    EXPECT_GE(g_fromSignal.result.count, 2u);  // the handler and the kernel's return code
}

}  // namespace
}  // namespace vramscope::unwind
