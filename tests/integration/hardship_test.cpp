// SPDX-License-Identifier: Apache-2.0
// Jobs that are hard to record: many threads, exits in the middle of calls, closed descriptors, small rings.
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

using HardshipTest = JobTest;

constexpr const char* kCallCount =
    "SELECT coalesce(sum(event_count), 0) FROM event_counts WHERE type IN ('alloc', 'free')";

TEST_F(HardshipTest, RecordsThreadsThatComeAndGo) {
    const CommandResult result = record(job({"threads-in-turn", "400"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.lostCount(), 0) << capture.table("SELECT * FROM drops");
    EXPECT_EQ(capture.number(kBufferCount), 400);
    EXPECT_EQ(capture.number(kLiveCount), 0);
    EXPECT_EQ(capture.number("SELECT count(DISTINCT alloc_thread_id) FROM buffers WHERE kind = 'device'"),
              400);
}

TEST_F(HardshipTest, CountsWhatFiveHundredThreadsLoseInASmallArena) {
    const CommandResult result = record(job({"threads-together", "500"}), {"--ring", "16MiB"});
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    // 500 threads make two allocations and two frees each; what is not in the capture is in the count of the
    // lost.
    const std::int64_t recorded = capture.number(kCallCount);
    EXPECT_EQ(recorded + capture.lostCount(), 2000)
        << capture.table("SELECT type, event_count FROM event_counts")
        << capture.table("SELECT reason, lost_count FROM drops");
    EXPECT_GE(recorded, 1000) << "most threads should get a ring even in a small arena";
    EXPECT_EQ(capture.number("SELECT count(*) FROM notes WHERE code = 'resolved-late'"), 0)
        << "threads that hold a ring and do little are no reason to resolve out of order";
}

TEST_F(HardshipTest, RecordsFiveHundredThreadsAtOnce) {
    const CommandResult result = record(job({"threads-together", "500"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.lostCount(), 0) << capture.table("SELECT reason, lost_count FROM drops");
    EXPECT_EQ(capture.number(kBufferCount), 1000);
    EXPECT_EQ(capture.number(kLiveCount), 0);
}

TEST_F(HardshipTest, FollowsResetsOfTheContext) {
    const CommandResult result = record(job({"reset"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(
        capture.table("SELECT end_kind, count(*) FROM buffers WHERE kind = 'device' GROUP BY 1 ORDER BY 1"),
        "context-destroyed|12\nfreed|1\n");
    EXPECT_EQ(capture.number("SELECT count(*) FROM contexts"), 4);
    EXPECT_EQ(capture.number("SELECT count(*) FROM contexts WHERE end_ns IS NOT NULL"), 3);
    EXPECT_EQ(capture.number("SELECT count(*) FROM failed_calls"), 0);
}

TEST_F(HardshipTest, LetsAJobExitWhileThreadsAreInsideCalls) {
    for (int round = 0; round < 10; ++round) {
        const CommandResult result = record(job({"while-others-call", "5"}), {"-f", "-q"});
        ASSERT_EQ(result.exitCode, 5) << "round " << round << ": " << result.describe();
        EXPECT_EQ(result.err, "");
        OpenedCapture capture(capturePath());
        EXPECT_EQ(capture.text("SELECT end_kind || exit_code FROM processes"), "exited5");
        // Each of the four threads holds one block at most when it all ends.
        EXPECT_LE(capture.number(kLiveCount), 4);
        EXPECT_EQ(capture.lostCount(), 0);
    }
}

TEST_F(HardshipTest, RecordsOnWhenTheJobClosesItsDescriptors) {
    const CommandResult result = record(job({"close-others"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kBufferCount), 101);
    EXPECT_EQ(capture.number(kLiveCount), 0);
    EXPECT_EQ(capture.lostCount(), 0);
    EXPECT_EQ(capture.text("SELECT end_kind FROM processes"), "exited");
}

TEST_F(HardshipTest, CountsWhatATinyRingLoses) {
    // The recorder may keep up or not; nothing may vanish without a count.
    const CommandResult result =
        record(job({"threads-in-turn", "2000"}), {"--ring", "1MiB", "--on-full", "drop"});
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    const std::int64_t recorded = capture.number(kCallCount);
    EXPECT_EQ(recorded + capture.lostCount(), 4000)
        << capture.table("SELECT type, event_count FROM event_counts")
        << capture.table("SELECT reason, lost_count FROM drops");
}

}  // namespace
}  // namespace vramscope::tests
