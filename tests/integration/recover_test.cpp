// SPDX-License-Identifier: Apache-2.0
// SIGKILL of the recorder, alone or together with the job: the job ends as it would have without us, and
// `recover` makes the capture whole: every call that the job saw return is in it, once.
#include <csignal>
#include <fstream>
#include <thread>
#include <unistd.h>

#include "tests/integration/churn_support.h"
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

namespace fs = std::filesystem;

class RecoverTest : public JobTest {
protected:
    /// The session that records into this test's capture; empty when there is none any more.
    fs::path session() const {
        for (const auto& entry : fs::directory_iterator("/dev/shm")) {
            std::error_code error;
            if (fs::read_symlink(entry.path() / "capture", error) == capturePath()) return entry.path();
        }
        return {};
    }

    CommandResult recover(const fs::path& folder) const {
        return run(m_machine.command({captureProgram().string(), "recover", folder.string()}));
    }

    /// The job's exit status, as the shell that ran it saw it, once it has ended.
    std::string jobStatus() const {
        std::string status;
        for (int i = 0; i < 600 && status.empty(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            std::ifstream(m_machine / "status") >> status;
        }
        return status;
    }

    /// Starts a job of `allocations` under a shell that writes down how it ended, and waits until it is at
    /// work.
    std::unique_ptr<RunningCommand> startJob(const SharedCounters& counters, int allocations) {
        const std::string script = jobProgram() + " churn " + counters.path().string() + " " +
                                   std::to_string(allocations) + "; echo $? > status";
        auto command = std::make_unique<RunningCommand>(recording({"sh", "-c", script}, {"-q"}));
        while (counters.values().finishedAllocations.load() < 100)
            ::usleep(200);
        return command;
    }

    void expectWhole(const SharedCounters& counters) {
        OpenedCapture capture(capturePath());
        ASSERT_TRUE(capture.isOpen());
        EXPECT_EQ(capture.text("SELECT value FROM meta WHERE key = 'state'"), "recovered");
        EXPECT_EQ(capture.lostCount(), 0) << capture.table("SELECT * FROM drops");
        const auto allocations = static_cast<std::int64_t>(counters.values().finishedAllocations.load());
        const auto frees = static_cast<std::int64_t>(counters.values().finishedFrees.load());
        const std::int64_t recordedFrees =
            capture.number("SELECT count(*) FROM buffers WHERE kind = 'device' AND end_kind = 'freed'");
        // A killed job may have one more call done than it counted.
        EXPECT_GE(capture.number(kBufferCount), allocations);
        EXPECT_LE(capture.number(kBufferCount), allocations + 1);
        EXPECT_GE(recordedFrees, frees);
        EXPECT_LE(recordedFrees, frees + 1);
        EXPECT_EQ(
            capture.number("SELECT count(*) FROM (SELECT address, generation FROM buffers GROUP BY 1, 2 "
                           "HAVING count(*) > 1)"),
            0);
    }
};

TEST_F(RecoverTest, TheRecorderDiesAndTheJobDoesNotNotice) {
    for (int delayMs : {0, 7, 40, 150, 333}) {
        SCOPED_TRACE("killed after " + std::to_string(delayMs) + " ms");
        fs::remove(m_machine / "status");
        fs::remove(capturePath());
        const SharedCounters counters(m_machine / "counters");
        const auto command = startJob(counters, 200'000);
        std::this_thread::sleep_for(std::chrono::milliseconds(delayMs));
        command->signal(SIGKILL);
        EXPECT_EQ(command->wait().signal, SIGKILL);
        EXPECT_EQ(jobStatus(), "7");

        const fs::path folder = session();
        ASSERT_FALSE(folder.empty());
        const CommandResult result = recover(folder);
        EXPECT_EQ(result.exitCode, 0) << result.describe();
        EXPECT_EQ(session(), "") << "a finished session is removed";
        expectWhole(counters);
        OpenedCapture capture(capturePath());
        EXPECT_EQ(capture.text("SELECT end_kind || exit_code FROM processes"), "exited7");
    }
}

TEST_F(RecoverTest, RecorderAndJobDieTogether) {
    const SharedCounters counters(m_machine / "counters");
    const auto command = startJob(counters, 100'000'000);
    const pid_t shell = childOf(command->pid());
    const pid_t job = childOf(shell);
    ASSERT_NE(job, 0);
    command->signal(SIGKILL);
    ::kill(job, SIGKILL);
    command->wait();
    EXPECT_EQ(jobStatus(), "137");

    const CommandResult result = recover(session());
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    expectWhole(counters);
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number("SELECT count(*) FROM processes WHERE end_kind IN ('killed', 'vanished')"), 1);
}

TEST_F(RecoverTest, RefusesASessionThatIsBeingRecorded) {
    const SharedCounters counters(m_machine / "counters");
    const auto command = startJob(counters, 200'000);
    const CommandResult result = recover(session());
    EXPECT_EQ(result.exitCode, 4) << result.describe();
    EXPECT_NE(result.err.find("a recorder is at work"), std::string::npos) << result.describe();
    EXPECT_EQ(command->wait().exitCode, 0);
}

TEST_F(RecoverTest, RefusesAFolderThatIsNoSession) {
    const CommandResult result = recover(m_machine.folder());
    EXPECT_EQ(result.exitCode, 3) << result.describe();
}

}  // namespace
}  // namespace vramscope::tests
