// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <execinfo.h>
#include <vector>

#include "collector/unwind/unwinder.h"

namespace vramscope::unwind {

/// What the unwinder and glibc's backtrace() say about one and the same moment.
struct Comparison {
    std::vector<uint64_t> ours;
    std::vector<uint64_t> expected;
    UnwindResult result;
};

/// Takes both stacks in this function. Its own entry is left out, being the return address of two different
/// calls; so are the frames that a sanitizer puts between us and backtrace(), up to two.
__attribute__((noinline)) inline Comparison takeBoth() {
    static constexpr int kMaxFrames = 1024;
    uint64_t ours[kMaxFrames];
    void* expected[kMaxFrames];
    Comparison both;
    both.result = Unwinder::processWide().unwind(ours, kMaxFrames, findStackBounds());
    const int count = backtrace(expected, kMaxFrames);
    both.ours.assign(ours + 1, ours + both.result.count);
    const auto caller = reinterpret_cast<uint64_t>(__builtin_return_address(0));
    int first = 1;
    while (first < 4 && reinterpret_cast<uint64_t>(expected[first]) != caller)
        ++first;
    for (int i = first; i < count; ++i)
        both.expected.push_back(reinterpret_cast<uint64_t>(expected[i]));
    return both;
}

/// A callback with C linkage types for the test libraries: fills the Comparison that `data` points to.
inline void takeBothInto(void* data) {
    *static_cast<Comparison*>(data) = takeBoth();
}

/// Keeps the call before it from becoming a jump, which would remove this function's frame.
inline void keepFrame() {
    asm volatile("" ::: "memory");
}

}  // namespace vramscope::unwind
