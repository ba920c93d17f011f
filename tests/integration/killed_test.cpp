// SPDX-License-Identifier: Apache-2.0
// SIGKILL of the job at any moment: the capture opens, says so, and has every call that the job saw return.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>
#include <unistd.h>

#include "tests/integration/churn_support.h"
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

/// VRAMSCOPE_TEST_KILLS, for builds in which each takes long.
int killCount() {
    const char* wanted = std::getenv("VRAMSCOPE_TEST_KILLS");
    return wanted != nullptr ? std::max(1, std::atoi(wanted)) : 100;
}

class KilledTest : public JobTest {
protected:
    /// Starts a churning job and kills it with SIGKILL `delay` after its first call.
    void recordUntilKilled(const SharedCounters& counters, std::chrono::microseconds delay) {
        CommandLine line = recording(job({"churn", counters.path().string()}), {"-f", "-q"});
        RunningCommand command(line);
        while (counters.values().finishedAllocations.load() == 0)
            ::usleep(200);
        std::this_thread::sleep_for(delay);
        ASSERT_EQ(::kill(childOf(command.pid()), SIGKILL), 0);
        const CommandResult result = command.wait();
        ASSERT_EQ(result.exitCode, 128 + SIGKILL) << result.describe();
    }

    void expectEveryFinishedCall(const SharedCounters& counters) {
        OpenedCapture capture(capturePath());
        ASSERT_TRUE(capture.isOpen());
        EXPECT_EQ(capture.text("SELECT end_kind || exit_signal FROM processes"), "killed9");
        EXPECT_EQ(capture.text("SELECT value FROM meta WHERE key = 'state'"), "complete");
        EXPECT_EQ(capture.lostCount(), 0) << capture.table("SELECT * FROM drops");
        const auto allocations = static_cast<std::int64_t>(counters.values().finishedAllocations.load());
        const auto frees = static_cast<std::int64_t>(counters.values().finishedFrees.load());
        // One more call may have been done and not counted yet when the kill came.
        const std::int64_t recordedAllocations = capture.number(kBufferCount);
        EXPECT_GE(recordedAllocations, allocations);
        EXPECT_LE(recordedAllocations, allocations + 1);
        const std::int64_t recordedFrees =
            capture.number("SELECT count(*) FROM buffers WHERE kind = 'device' AND end_kind = 'freed'");
        EXPECT_GE(recordedFrees, frees);
        EXPECT_LE(recordedFrees, frees + 1);
    }
};

TEST_F(KilledTest, LosesNoFinishedCall) {
    std::mt19937 random(20240607);  // the same moments in every run, as far as the machine lets them be
    std::uniform_int_distribution<int> delayMicroseconds(0, 120'000);
    for (int i = 0; i < killCount() && !HasFatalFailure(); ++i) {
        const SharedCounters counters(m_machine / "counters");
        const std::chrono::microseconds delay(delayMicroseconds(random));
        SCOPED_TRACE("kill " + std::to_string(i) + " after " + std::to_string(delay.count()) + " us");
        recordUntilKilled(counters, delay);
        if (!HasFatalFailure()) expectEveryFinishedCall(counters);
    }
}

}  // namespace
}  // namespace vramscope::tests
