// SPDX-License-Identifier: Apache-2.0
// corruption.overwrite with digests that show a change between which others worked, too.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::Finding;

/// Thread 1 works for "owner", thread 2 for "neighbour". The owner writes a buffer of its own; a launch of
/// the neighbour's, which was not given it, stood between two digests of it that differ.
class DigestOverwriteTest : public testing::Test {
protected:
    DigestOverwriteTest() : m_owner(m_builder.task("owner")), m_neighbour(m_builder.task("neighbour")) {
        m_builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (2, 1, 4712, 0)");
        m_builder.taskSpan(m_owner, 1, 0, 9'000 * kMs);
        m_builder.taskSpan(m_neighbour, 2, 0, 9'000 * kMs);
        m_buffer = m_builder.allocate({.bytes = kMiB, .allocNs = kMs});
        m_builder.owner(m_buffer, m_owner);
    }

    model::Access& access(std::int64_t atNs, std::int64_t task, std::string_view what) {
        model::Access& made = m_accesses.emplace_back();
        made.enterNs = made.lastNs = atNs;
        made.exitNs = atNs + 1;
        made.processId = model::ProcessId{1};
        made.threadId = model::ThreadId{task == m_owner ? 1 : 2};
        made.taskId = model::TaskId{task};
        made.basis = model::TaskBasis::Mark;
        made.bufferId = model::BufferId{m_buffer};
        made.sizeBytes = kMiB;
        made.isLaunch = made.mayWrite = true;
        made.what = what;
        return made;
    }

    /// What is found if `others` may have run between the digests around the neighbour's launch at 20 ms.
    std::vector<Finding> foundWith(const std::vector<std::string_view>& others) {
        access(20 * kMs, m_neighbour, "paint").digestChange = 0;
        m_loaded = m_builder.load();
        m_capture = *m_loaded;
        std::stable_sort(m_accesses.begin(), m_accesses.end(),
                         [](const auto& a, const auto& b) { return a.enterNs < b.enterNs; });
        m_capture.sharedAccesses.accesses = m_accesses;
        model::DigestChange& change = m_capture.digestChanges.emplace_back();
        change.processId = model::ProcessId{1};
        change.bufferId = model::BufferId{m_buffer};
        change.fromNs = 19 * kMs;
        change.toNs = 21 * kMs;
        change.launchNs = 20 * kMs;
        change.isWriterKnown = others.empty();
        change.others = others;
        return findingsOf(detectors::detectAll(m_capture), "corruption.overwrite");
    }

    CaptureBuilder m_builder;
    std::int64_t m_owner;
    std::int64_t m_neighbour;
    std::int64_t m_buffer = 0;
    std::shared_ptr<const model::Capture> m_loaded;  ///< whose texts the copy shows
    model::Capture m_capture;
    std::vector<model::Access> m_accesses;
};

TEST_F(DigestOverwriteTest, NobodyElseWasThere) {
    access(19'500'000, m_owner, "fill");
    EXPECT_EQ(foundWith({}).size(), 1U);
}

TEST_F(DigestOverwriteTest, TheOwnersOwnLaunchExplainsTheChange) {
    access(19'500'000, m_owner, "fill");
    EXPECT_TRUE(foundWith({"fill"}).empty());
}

TEST_F(DigestOverwriteTest, TheOwnersLaunchAfterTheOtherExplainsItToo) {
    access(20'500'000, m_owner, "fill");
    EXPECT_TRUE(foundWith({"fill"}).empty());
}

TEST_F(DigestOverwriteTest, LaunchesThatRepeatExplainWhatLiesBetweenThem) {
    access(5 * kMs, m_owner, "fill").lastNs = 30 * kMs;
    EXPECT_TRUE(foundWith({"fill"}).empty());
}

TEST_F(DigestOverwriteTest, TheOwnersSetExplainsTheChange) {
    access(19'500'000, m_owner, "cuMemsetD8").isLaunch = false;
    EXPECT_TRUE(foundWith({model::kCopyOrSet}).empty());
}

TEST_F(DigestOverwriteTest, WhatTheOwnerDidBeforeExplainsNothing) {
    access(10 * kMs, m_owner, "fill");
    EXPECT_EQ(foundWith({"fill"}).size(), 1U);
}

TEST_F(DigestOverwriteTest, WorkThatIsNotOfThisBufferExplainsNothing) {
    EXPECT_EQ(foundWith({"fill"}).size(), 1U);
}

}  // namespace
}  // namespace vramscope::tests
