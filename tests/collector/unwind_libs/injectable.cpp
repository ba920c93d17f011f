// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <execinfo.h>

#include "collector/unwind/unwinder.h"

// The unwinder in a shared library without a C++ runtime, as it is injected. That it links is one test; the
// other is a Python program that loads it with ctypes and compares the two stacks below.

using namespace vramscope::unwind;

/// Writes our stack and glibc's, both without this function. Gives the number of ours; `*end` is the
/// UnwindEnd.
extern "C" __attribute__((visibility("default"), noinline)) size_t unwindTestBoth(
    uint64_t* ours, uint64_t* expected, size_t maxCount, size_t* expectedCount, int* end) {
    const UnwindResult result = Unwinder::processWide().unwind(ours, maxCount, findStackBounds());
    *expectedCount =
        static_cast<size_t>(backtrace(reinterpret_cast<void**>(expected), static_cast<int>(maxCount)));
    *end = static_cast<int>(result.end);
    return result.count;
}

/// Nanoseconds are the caller's business: walks `rounds` times with rules cached.
extern "C" __attribute__((visibility("default"), noinline)) size_t unwindTestRepeat(size_t rounds) {
    uint64_t addresses[512];
    const StackBounds bounds = findStackBounds();
    size_t count = 0;
    for (size_t i = 0; i < rounds; ++i)
        count = Unwinder::processWide().unwind(addresses, 512, bounds).count;
    return count;
}

extern "C" __attribute__((visibility("default"), noinline)) size_t unwindTestRepeatBacktrace(size_t rounds) {
    void* addresses[512];
    int count = 0;
    for (size_t i = 0; i < rounds; ++i)
        count = backtrace(addresses, 512);
    return static_cast<size_t>(count);
}
