// SPDX-License-Identifier: Apache-2.0
#include "gui/session/selection.h"

#include <QSignalSpy>
#include <gtest/gtest.h>

namespace vramscope::gui {
namespace {

Selection atTime(std::int64_t timeNs) {
    Selection selection;
    selection.timeNs = timeNs;
    return selection;
}

TEST(SharedSelection, BackAndForwardRestoreAllOfIt) {
    SharedSelection shared;
    Selection full = atTime(5);
    full.page = Page::Stacks;
    full.range = {1, 9};
    full.filter = QStringLiteral("size>1M");
    full.buffer = {7};
    full.stack = {3};
    full.finding = QStringLiteral("abc");
    full.process = {1};
    full.device = {2};
    full.task = {4};
    shared.set(full);
    shared.set(atTime(6));
    shared.goBack();
    EXPECT_EQ(shared.current(), full);
    EXPECT_TRUE(shared.canGoForward());
    shared.goForward();
    EXPECT_EQ(shared.current(), atTime(6));
    shared.goBack();
    shared.goBack();
    EXPECT_EQ(shared.current(), Selection());
    EXPECT_FALSE(shared.canGoBack());
}

TEST(SharedSelection, ANewStepForgetsWhatWasAhead) {
    SharedSelection shared;
    shared.set(atTime(1));
    shared.set(atTime(2));
    shared.goBack();
    shared.set(atTime(3));
    EXPECT_FALSE(shared.canGoForward());
    shared.goBack();
    EXPECT_EQ(shared.current(), atTime(1));
}

TEST(SharedSelection, TheSameAgainIsNoStep) {
    SharedSelection shared;
    int changes = 0;
    QObject::connect(&shared, &SharedSelection::changed, [&] { ++changes; });
    shared.set(atTime(1));
    shared.set(atTime(1));
    EXPECT_EQ(changes, 1);
    shared.amend(atTime(2));
    EXPECT_EQ(changes, 2);
    shared.goBack();
    EXPECT_EQ(shared.current(), Selection());
    EXPECT_FALSE(shared.canGoBack());
}

TEST(SharedSelection, AChangeInsideOfAChangeIsHeardInOrder) {
    SharedSelection shared;
    QObject::connect(&shared, &SharedSelection::changed, [&](const Selection& now) {
        if (now.timeNs == 1) shared.set(atTime(2));
    });
    shared.set(atTime(1));
    EXPECT_EQ(shared.current(), atTime(2));
}

TEST(SharedSelection, HistoryIsBounded) {
    SharedSelection shared;
    for (std::int64_t i = 1; i <= 2000; ++i)
        shared.set(atTime(i));
    int steps = 0;
    for (; shared.canGoBack(); ++steps)
        shared.goBack();
    EXPECT_LT(steps, 600);
    EXPECT_GT(steps, 100);
}

}  // namespace
}  // namespace vramscope::gui
