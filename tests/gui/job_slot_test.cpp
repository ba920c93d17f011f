// SPDX-License-Identifier: Apache-2.0
#include "gui/session/job_slot.h"

#include <gtest/gtest.h>

#include "tests/gui/gui_environment.h"

namespace vramscope::gui {
namespace {

TEST(JobSlot, DeliversInItsOwnThread) {
    QThreadPool pool;
    JobSlot slot(pool);
    int result = 0;
    QThread* deliveredIn = nullptr;
    slot.start([](const Cancel&) { return 42; },
               [&](int value) {
                   result = value;
                   deliveredIn = QThread::currentThread();
               });
    EXPECT_TRUE(slot.isBusy());
    ASSERT_TRUE(tests::waitUntil([&] { return !slot.isBusy(); }));
    EXPECT_EQ(result, 42);
    EXPECT_EQ(deliveredIn, QThread::currentThread());
}

TEST(JobSlot, OnlyTheLatestCounts) {
    QThreadPool pool;
    JobSlot slot(pool);
    std::atomic<bool> wasCancelled{false};
    std::vector<int> results;
    slot.start(
        [&](const Cancel& cancel) {
            while (!cancel.isRequested())
                QThread::usleep(100);
            wasCancelled = true;
            return 1;
        },
        [&](int value) { results.push_back(value); });
    slot.start([](const Cancel&) { return 2; }, [&](int value) { results.push_back(value); });
    ASSERT_TRUE(tests::waitUntil([&] { return !slot.isBusy() && wasCancelled; }));
    tests::waitUntil([] { return false; }, 50);
    EXPECT_EQ(results, std::vector<int>{2});
}

TEST(JobSlot, CancelledWorkIsNotDelivered) {
    QThreadPool pool;
    JobSlot slot(pool);
    bool isDelivered = false;
    slot.start([](const Cancel&) { return 1; }, [&](int) { isDelivered = true; });
    slot.cancel();
    EXPECT_FALSE(slot.isBusy());
    tests::waitUntil([] { return false; }, 50);
    EXPECT_FALSE(isDelivered);
}

TEST(JobSlot, GoesOnlyWhenItsWorkersHaveGone) {
    QThreadPool pool;
    std::atomic<int> ended{0};
    for (int i = 0; i < 20; ++i) {
        JobSlot slot(pool);
        slot.start(
            [&](const Cancel& cancel) {
                while (!cancel.isRequested())
                    QThread::usleep(50);
                return ++ended;
            },
            [](int) {});
    }
    EXPECT_EQ(ended, 20);
}

}  // namespace
}  // namespace vramscope::gui
