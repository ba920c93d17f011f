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
        for (const char* kernel : {"(77, 1, 77, 'fill')", "(78, 1, 78, 'paint')"})
            m_builder.exec(std::string("INSERT INTO kernels (kernel_id, process_id, handle, name) VALUES ") +
                           kernel);
        m_builder.taskSpan(m_owner, 1, 0, 9'000 * kMs);
        m_builder.taskSpan(m_neighbour, 2, 0, 9'000 * kMs);
        m_buffer = m_builder.allocate({.bytes = kMiB, .allocNs = kMs});
        m_builder.owner(m_buffer, m_owner);
        m_builder.set(2 * kMs, m_buffer, 0, kMiB, 1);
    }

    /// What is found if `others` may have run between the digests around the neighbour's launch at 20 ms.
    std::vector<Finding> foundWith(std::vector<std::string_view> others) {
        const std::shared_ptr<const model::Capture> loaded = m_builder.load();
        m_capture = *loaded;
        m_loaded = loaded;
        auto& accesses = m_capture.sharedAccesses.accesses;
        model::Access access = accesses.back();
        access.enterNs = 20 * kMs;
        access.exitNs = 20 * kMs + 1;
        access.threadId = model::ThreadId{2};
        access.taskId = model::TaskId{m_neighbour};
        access.basis = model::TaskBasis::Mark;
        access.bufferId = model::BufferId{m_buffer};
        access.isLaunch = access.mayWrite = true;
        access.what = "paint";
        access.digestChange = 0;
        accesses.push_back(access);
        std::stable_sort(accesses.begin(), accesses.end(),
                         [](const auto& a, const auto& b) { return a.enterNs < b.enterNs; });
        model::DigestChange& change = m_capture.digestChanges.emplace_back();
        change.processId = access.processId;
        change.bufferId = access.bufferId;
        change.fromNs = 19 * kMs;
        change.toNs = 21 * kMs;
        change.launchNs = access.enterNs;
        change.isWriterKnown = others.empty();
        change.others = std::move(others);
        return findingsOf(detectors::detectAll(m_capture), "corruption.overwrite");
    }

    CaptureBuilder m_builder;
    std::int64_t m_owner;
    std::int64_t m_neighbour;
    std::int64_t m_buffer = 0;
    std::shared_ptr<const model::Capture> m_loaded;  ///< whose texts the copy shows
    model::Capture m_capture;
};

TEST_F(DigestOverwriteTest, NobodyElseWasThere) {
    m_builder.launch(19'500'000, {m_buffer}, 1, 77);
    EXPECT_EQ(foundWith({}).size(), 1U);
}

TEST_F(DigestOverwriteTest, TheOwnersOwnLaunchExplainsTheChange) {
    m_builder.launch(19'500'000, {m_buffer}, 1, 77);
    EXPECT_TRUE(foundWith({"fill"}).empty());
}

TEST_F(DigestOverwriteTest, TheOwnersLaunchAfterTheOtherExplainsItToo) {
    m_builder.launch(20'500'000, {m_buffer}, 1, 77);
    EXPECT_TRUE(foundWith({"fill"}).empty());
}

TEST_F(DigestOverwriteTest, TheOwnersSetExplainsTheChange) {
    m_builder.set(19'500'000, m_buffer, 0, 4096, 1);
    EXPECT_TRUE(foundWith({model::kCopyOrSet}).empty());
}

TEST_F(DigestOverwriteTest, WorkThatWasNotGivenTheBufferExplainsNothing) {
    m_builder.launch(19'500'000, {}, 1, 77);
    EXPECT_EQ(foundWith({"fill"}).size(), 1U);
}

}  // namespace
}  // namespace vramscope::tests
