// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/spin_lock.h"

#include <gtest/gtest.h>
#include <thread>

namespace vramscope::collector {
namespace {

constexpr std::uint64_t kMillisecondNs = 1'000'000;

TEST(SpinLockTest, NobodyWaitsForItWithoutAnEnd) {
    SpinLock lock;
    const SpinGuard holder(lock, 0);
    ASSERT_TRUE(holder.isHeld());
    const std::uint64_t start = formats::monotonicNs();
    const SpinGuard other(lock, 3 * kMillisecondNs);
    EXPECT_FALSE(other.isHeld());
    EXPECT_GE(formats::monotonicNs() - start, 3 * kMillisecondNs);
}

TEST(SpinLockTest, WhoGaveUpDoesNotTakeItAway) {
    SpinLock lock;
    {
        const SpinGuard holder(lock, 0);
        { const SpinGuard other(lock, 0); }
        EXPECT_FALSE(lock.lockWithin(0)) << "it is still held";
    }
    EXPECT_TRUE(lock.lockWithin(0));
}

TEST(SpinLockTest, WhoWaitsGetsItWhenItIsFree) {
    SpinLock lock;
    ASSERT_TRUE(lock.lockWithin(0));
    bool wasHeld = false;
    std::thread waiter([&] { wasHeld = SpinGuard(lock, 60'000 * kMillisecondNs).isHeld(); });
    lock.unlock();
    waiter.join();
    EXPECT_TRUE(wasHeld);
}

}  // namespace
}  // namespace vramscope::collector
