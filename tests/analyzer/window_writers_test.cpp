// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/window_writers.h"

#include <gtest/gtest.h>

namespace vramscope::model {
namespace {

constexpr std::int64_t kWatched = 7;  ///< the launch between the digests
constexpr std::int64_t kOther = 8;

/// A process with two streams that nothing orders, and one change of buffer 1 around the launch at 1000.
class WindowWritersTest : public testing::Test {
protected:
    WindowWritersTest()
        : m_order({{StreamId{1}, ProcessId{1}, ContextId{1}, false, false},
                   {StreamId{2}, ProcessId{1}, ContextId{1}, false, false}}) {
        DigestChange& change = m_changes.emplace_back();
        change.processId = ProcessId{1};
        change.threadId = ThreadId{1};
        change.bufferId = BufferId{1};
        change.launchNs = change.launch.enterNs = 1000;
        change.fromNs = 990;
        change.toNs = 1020;
        m_writers.emplace(m_order, m_changes);
    }

    OrderedCall callAt(std::int64_t timeNs, std::int64_t thread = 1) const {
        return {ProcessId{1}, ThreadId{thread}, timeNs, timeNs + 5};
    }
    void work(StreamIndex stream, std::int64_t timeNs, std::int64_t kernel, std::int64_t buffer = 0,
              std::int64_t thread = 1) {
        const OrderedCall call = callAt(timeNs, thread);
        m_order.advanceTo(timeNs);
        m_writers->work({call, m_order.operation(stream, call), kernel, BufferId{buffer}});
    }
    std::set<std::int64_t> others() { return m_writers->finish().at(0); }
    bool isKnown() const { return m_changes[0].isWriterKnown; }

    HappensBefore m_order;
    std::vector<DigestChange> m_changes;
    std::optional<WindowWriters> m_writers;
};

TEST_F(WindowWritersTest, OneStreamHasOneWriter) {
    work(0, 500, kOther);
    work(0, 1000, kWatched);
    work(0, 2000, kOther);
    EXPECT_TRUE(others().empty());
    EXPECT_TRUE(isKnown());
}

TEST_F(WindowWritersTest, AKernelThatMayStillRunIsACandidate) {
    work(1, 500, kOther);
    work(0, 1000, kWatched);
    EXPECT_EQ(others(), std::set<std::int64_t>{kOther});
    EXPECT_FALSE(isKnown());
}

TEST_F(WindowWritersTest, AKernelThatMayRunEarlierThanItsCallIsACandidate) {
    work(0, 1000, kWatched);
    work(1, 5000, kOther);
    EXPECT_EQ(others(), std::set<std::int64_t>{kOther});
}

TEST_F(WindowWritersTest, EventsBeforeAndBehindLeaveOneWriter) {
    work(1, 500, kOther);
    m_order.recordEvent(1, 1, callAt(510));
    m_order.waitForEvent(1, false, 0, callAt(520));
    work(0, 1000, kWatched);
    m_order.recordEvent(2, 0, callAt(1100));
    m_order.waitForEvent(2, false, 1, callAt(1110));
    work(1, 2000, kOther);
    EXPECT_TRUE(others().empty());
    EXPECT_TRUE(isKnown());
}

TEST_F(WindowWritersTest, AWaitBehindTheLaunchOrdersNothingBeforeIt) {
    work(1, 500, kOther);
    m_order.recordEvent(1, 1, callAt(510));
    work(0, 1000, kWatched);
    m_order.waitForEvent(1, false, 0, callAt(1100));
    EXPECT_EQ(others(), std::set<std::int64_t>{kOther});
}

TEST_F(WindowWritersTest, WhatTheHostKnowsToBeDoneIsNoCandidate) {
    work(1, 500, kOther);
    m_order.advanceTo(600);
    m_order.streamDone(1, callAt(590));
    work(0, 1000, kWatched);
    EXPECT_TRUE(others().empty());
    EXPECT_TRUE(isKnown());
}

TEST_F(WindowWritersTest, CopiesCountWhereTheyTouchTheBuffer) {
    work(1, 500, 0, 2);
    work(0, 1000, kWatched);
    EXPECT_TRUE(others().empty());
    EXPECT_TRUE(isKnown());
}

TEST_F(WindowWritersTest, ACopyIntoTheBufferIsACandidate) {
    work(1, 500, 0, 1);
    work(0, 1000, kWatched);
    EXPECT_EQ(others(), std::set<std::int64_t>{0});
    EXPECT_FALSE(isKnown());
}

TEST_F(WindowWritersTest, WhereThreadsMeetOnAStreamNobodyIsAccused) {
    work(0, 996, kOther, 0, 2);
    work(0, 1000, kWatched);
    EXPECT_EQ(others(), std::set<std::int64_t>{kOther});
    EXPECT_FALSE(isKnown());
}

TEST_F(WindowWritersTest, AWaitForSomethingUnseenIsNoExcuse) {
    work(1, 500, kOther);
    m_order.waitForAnything(0);
    work(0, 1000, kWatched);
    EXPECT_EQ(others(), std::set<std::int64_t>{kOther});
}

TEST_F(WindowWritersTest, ALaunchThatTheCaptureLacksProvesNothing) {
    work(0, 3000, kWatched);
    EXPECT_TRUE(others().empty());
    EXPECT_FALSE(isKnown());
}

}  // namespace
}  // namespace vramscope::model
