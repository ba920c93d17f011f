// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <thread>

#include "tests/collector/unwind_compare.h"

// Damaged stacks and registers. A read outside the bounds hits an unmapped page, so it kills the test.
namespace vramscope::unwind {
namespace {

constexpr size_t kStackBytes = 64 * 1024;

/// A piece of memory that plays the stack, between two pages that nobody may touch.
class FakeStack {
public:
    FakeStack() {
        void* memory = mmap(nullptr, kStackBytes + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        m_start = static_cast<uint8_t*>(memory) + kPage;
        m_isUsable = memory != MAP_FAILED && mprotect(m_start, kStackBytes, PROT_READ | PROT_WRITE) == 0;
    }
    ~FakeStack() { munmap(m_start - kPage, kStackBytes + 2 * kPage); }
    FakeStack(const FakeStack&) = delete;
    FakeStack& operator=(const FakeStack&) = delete;

    bool isUsable() const { return m_isUsable; }
    StackBounds bounds() const { return {address(0), address(0) + kStackBytes}; }
    uint64_t address(size_t word) const { return reinterpret_cast<uint64_t>(m_start) + word * 8; }
    uint64_t& operator[](size_t word) { return reinterpret_cast<uint64_t*>(m_start)[word]; }

private:
    static constexpr size_t kPage = 4096;
    uint8_t* m_start = nullptr;
    bool m_isUsable = false;
};

__attribute__((noinline)) UnwindResult unwindWithReturnAddress(uint64_t replacement, uint64_t* addresses) {
    auto* frame = static_cast<volatile uint64_t*>(__builtin_frame_address(0));
    const StackBounds bounds = findStackBounds();
    const uint64_t saved = frame[1];
    frame[1] = replacement;
    const UnwindResult result = Unwinder::processWide().unwind(addresses, 64, bounds);
    frame[1] = saved;
    return result;
}

TEST(UnwindHostile, StopsAtDamagedReturnAddress) {
    uint64_t addresses[64] = {};
    for (const uint64_t garbage : {uint64_t{1}, uint64_t{0xdeadbeefdeadbeef}, uint64_t{0x00007fffffffffff},
                                   ~uint64_t{0}, reinterpret_cast<uint64_t>(addresses)}) {
        const UnwindResult result = unwindWithReturnAddress(garbage, addresses);
        ASSERT_GE(result.count, 2u);
        EXPECT_EQ(addresses[1], garbage);
        EXPECT_TRUE(result.isTruncated() || result.isBridged) << garbage;
    }
}

__attribute__((noinline)) UnwindResult unwindWithFramePointer(uint64_t replacement, const StackBounds& bounds,
                                                              uint64_t* addresses) {
    auto* frame = static_cast<volatile uint64_t*>(__builtin_frame_address(0));
    const uint64_t saved = frame[0];
    frame[0] = replacement;
    const UnwindResult result = Unwinder::processWide().unwind(addresses, 64, bounds);
    frame[0] = saved;
    return result;
}

// alloca makes the caller address its frame, and the table its CFA, by the frame pointer.
__attribute__((noinline)) UnwindResult unwindBelowFramePointerUser(uint64_t replacement, uint64_t* addresses,
                                                                   size_t sizeBytes) {
    auto* bytes = static_cast<volatile char*>(alloca(sizeBytes));
    bytes[0] = 1;
    const UnwindResult result = unwindWithFramePointer(replacement, findStackBounds(), addresses);
    bytes[1] = bytes[0];
    return result;
}

TEST(UnwindHostile, StopsAtDamagedFramePointer) {
    uint64_t addresses[64] = {};
    const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    volatile size_t sizeBytes = 100;  // unknown to the compiler, so the frame is of variable size
    for (const uint64_t garbage : {uint64_t{0}, uint64_t{3}, ~uint64_t{0}, uint64_t{0xdeadbeefdeadbee8},
                                   here + 1, here - 65536, uint64_t{0x7ffffffffff8}}) {
        const UnwindResult result = unwindBelowFramePointerUser(garbage, addresses, sizeBytes);
        EXPECT_EQ(result.count, 2u) << garbage;
        EXPECT_EQ(result.end, UnwindEnd::BadStack) << garbage;
    }
}

TEST(UnwindHostile, OutsideTheBoundsOnlyTheFirstAddressIsGiven) {
    uint64_t addresses[8] = {};
    const StackBounds elsewhere{4096, 8192};
    const UnwindResult result = Unwinder::processWide().unwind(addresses, 8, elsewhere);
    EXPECT_EQ(result.count, 1u);
    EXPECT_EQ(result.end, UnwindEnd::OutsideStack);
    EXPECT_EQ(Unwinder::processWide().unwind(addresses, 8, {}).end, UnwindEnd::OutsideStack);
    EXPECT_EQ(Unwinder::processWide().unwind(addresses, 0, elsewhere).count, 0u);
}

TEST(UnwindHostile, FramePointerCycleEnds) {
    FakeStack stack;
    ASSERT_TRUE(stack.isUsable());
    stack[10] = stack.address(20);
    stack[11] = 0x1000;
    stack[20] = stack.address(10);
    stack[21] = 0x2000;
    uint64_t addresses[64] = {};
    const Registers start{0x3000, stack.address(0), stack.address(10)};
    const UnwindResult result = Unwinder::processWide().unwindFrom(start, addresses, 64, stack.bounds());
    EXPECT_EQ(result.count, 1u);
    EXPECT_EQ(result.end, UnwindEnd::UnknownCode);
}

/// Random stacks in which addresses that have rules, addresses of the stack and noise are mixed.
TEST(UnwindHostile, RandomStacksEndInsideTheirBounds) {
    FakeStack stack;
    ASSERT_TRUE(stack.isUsable());
    const Comparison real = takeBoth();
    std::mt19937_64 random(20240607);
    uint64_t addresses[256] = {};
    size_t longest = 0;
    for (int iteration = 0; iteration < 20'000; ++iteration) {
        for (size_t word = 0; word < kStackBytes / 8; word += 1 + random() % 4) {
            switch (random() % 4) {
                case 0:
                    stack[word] = random();
                    break;
                case 1:
                    stack[word] = stack.address(random() % (kStackBytes / 8));
                    break;
                default:
                    stack[word] = real.ours[random() % real.ours.size()];
            }
        }
        const Registers start{real.ours[random() % real.ours.size()], stack.address(random() % 8192),
                              random() % 2 == 0 ? random() : stack.address(random() % 8192)};
        const UnwindResult result = Unwinder::processWide().unwindFrom(start, addresses, 256, stack.bounds());
        ASSERT_LE(result.count, 256u);
        longest = std::max(longest, result.count);
    }
    EXPECT_GT(longest, 5u) << "the stacks were too random to be walked at all";
}

TEST(UnwindStackBounds, HoldTheCallersFrameAndKeepErrno) {
    errno = ENOTTY;
    const StackBounds bounds = findStackBounds();
    EXPECT_EQ(errno, ENOTTY);
    const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    EXPECT_TRUE(bounds.contains(here));
    std::thread([&bounds] {
        const StackBounds mine = findStackBounds();
        const auto local = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
        EXPECT_TRUE(mine.contains(local));
        EXPECT_FALSE(bounds.contains(local));
        // glibc keeps the thread's control block above its stack.
        EXPECT_LE(mine.high, reinterpret_cast<uint64_t>(__builtin_thread_pointer()));
    }).join();
}

}  // namespace
}  // namespace vramscope::unwind
