// SPDX-License-Identifier: Apache-2.0
// `run --join`: a second launcher, started by hand, puts its job into the recording of the first.
#include <csignal>
#include <fstream>
#include <memory>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

namespace fs = std::filesystem;

class JoinTest : public JobTest {
protected:
    /// Sessions are known to the whole machine by name.
    JoinTest() : m_name("join-test-" + std::to_string(::getpid())) {}

    /// The first launcher, whose job waits for SIGTERM and then ends with 7.
    std::unique_ptr<RunningCommand> startFirst() {
        auto first = std::make_unique<RunningCommand>(
            recording(job({"on-signal", std::to_string(SIGTERM)}), {"--session", m_name}));
        EXPECT_TRUE(first->waitForOutput("ready"));
        return first;
    }
    CommandLine joining(const std::vector<std::string>& command,
                        std::vector<std::string> options = {}) const {
        options.insert(options.end(), {"--join", m_name});
        return m_machine.recorded(options, command);
    }
    /// Another one that joined, likewise, ends with 7 at SIGUSR1.
    std::unique_ptr<RunningCommand> startJoined() {
        auto joined = std::make_unique<RunningCommand>(joining(job({"on-signal", std::to_string(SIGUSR1)})));
        EXPECT_TRUE(joined->waitForOutput("ready"));
        return joined;
    }
    /// The folder of the session that records into this test's capture.
    fs::path session() const {
        for (const auto& entry : fs::directory_iterator("/dev/shm")) {
            std::error_code error;
            if (fs::read_symlink(entry.path() / "capture", error) == capturePath()) return entry.path();
        }
        return {};
    }
    /// The process of this number of the launcher's job.
    static pid_t childOf(const RunningCommand& launcher) {
        const std::string pid = std::to_string(launcher.pid());
        std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
        pid_t child = -1;
        children >> child;
        return child;
    }

    /// A process that waits for a disk ends when that has answered.
    static void waitUntilGone(pid_t pid) {
        const std::string path = "/proc/" + std::to_string(pid) + "/stat";
        for (int i = 0; i < 1000; ++i) {
            std::ifstream file(path);
            std::string stat;
            std::getline(file, stat);
            const std::size_t name = stat.rfind(')');
            if (name == std::string::npos || stat.compare(name, 3, ") Z") == 0) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }

    std::string m_name;
};

constexpr const char* kEnds = "SELECT end_kind, exit_code, exit_signal FROM processes ORDER BY process_id";

TEST_F(JoinTest, TheJobLandsInTheFirstCaptureAndHandsItsCodeBack) {
    const auto first = startFirst();
    const CommandResult joined = run(joining(job({"code", "5"})));
    EXPECT_EQ(joined.exitCode, 5) << joined.describe();
    EXPECT_EQ(joined.err.find("cannot record"), std::string::npos) << joined.describe();
    first->signal(SIGTERM);
    const CommandResult result = first->wait();
    EXPECT_EQ(result.exitCode, 7) << result.describe();
    EXPECT_NE(result.err.find("vramscope run --join " + m_name), std::string::npos) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table(kEnds), "exited|7|\nexited|5|\n");
    EXPECT_EQ(capture.text("SELECT value FROM meta WHERE key = 'state'"), "complete");
    EXPECT_EQ(capture.lostCount(), 0);
    EXPECT_EQ(capture.table("SELECT code FROM notes WHERE code LIKE '%join%' ORDER BY time_ns"),
              "job-joined\njoined-job-ended\n");
    EXPECT_TRUE(session().empty());
}

TEST_F(JoinTest, ANamedJobIsATask) {
    const auto first = startFirst();
    CommandLine line = m_machine.command(
        {captureProgram().string(), "run", "--join", m_name, "--job", "serve='" + jobProgram() + "' code 3"});
    EXPECT_EQ(run(line).exitCode, 3);
    first->signal(SIGTERM);
    first->wait();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.text("SELECT name FROM tasks WHERE origin = 'job'"), "serve");
}

TEST_F(JoinTest, TheRecorderWaitsForTheJoinedJob) {
    const auto first = startFirst();
    const auto joined = startJoined();
    first->signal(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    EXPECT_FALSE(session().empty()) << "a survivor of the first job alone is given two seconds";
    joined->signal(SIGUSR1);
    EXPECT_EQ(joined->wait().exitCode, 7);
    const CommandResult result = first->wait();
    EXPECT_EQ(result.exitCode, 7) << result.describe();
    EXPECT_NE(result.err.find("the recording goes on for 1 joined job"), std::string::npos)
        << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table(kEnds), "exited|7|\nexited|7|\n");
    EXPECT_EQ(capture.number("SELECT count(*) FROM notes WHERE code = 'own-job-ended'"), 1);
}

TEST_F(JoinTest, CtrlCEndsTheWaiting) {
    const auto first = startFirst();
    const auto joined = startJoined();
    first->signal(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    first->signal(SIGINT);
    EXPECT_EQ(first->wait().exitCode, 7);
    EXPECT_EQ(OpenedCapture(capturePath()).text("SELECT end_kind FROM processes WHERE process_id = 2"),
              "running");
    joined->signal(SIGUSR1);
    const CommandResult result = joined->wait();
    EXPECT_EQ(result.exitCode, 7) << result.describe();
    EXPECT_NE(result.err.find("ended before the job did"), std::string::npos) << result.describe();
}

TEST_F(JoinTest, AKilledFirstJobTakesNothingFromTheJoinedOne) {
    const auto first = startFirst();
    const auto joined = startJoined();
    ::kill(childOf(*first), SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    joined->signal(SIGUSR1);
    EXPECT_EQ(joined->wait().exitCode, 7);
    EXPECT_EQ(first->wait().exitCode, 128 + SIGKILL);
    EXPECT_EQ(OpenedCapture(capturePath()).table(kEnds), "killed||9\nexited|7|\n");
}

TEST_F(JoinTest, AKilledJoinedJobIsRecordedAsKilled) {
    const auto first = startFirst();
    const auto joined = startJoined();
    ::kill(childOf(*joined), SIGKILL);
    EXPECT_EQ(joined->wait().exitCode, 128 + SIGKILL);
    first->signal(SIGTERM);
    EXPECT_EQ(first->wait().exitCode, 7);
    EXPECT_EQ(OpenedCapture(capturePath()).table(kEnds), "exited|7|\nkilled||9\n");
}

TEST_F(JoinTest, TheJobOfAKilledLauncherIsWaitedFor) {
    const auto first = startFirst();
    const auto joined = startJoined();
    const pid_t orphan = childOf(*joined);
    ::kill(joined->pid(), SIGKILL);
    first->signal(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    EXPECT_FALSE(session().empty());
    ::kill(orphan, SIGUSR1);
    EXPECT_EQ(first->wait().exitCode, 7);
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number("SELECT count(*) FROM processes WHERE end_kind = 'running'"), 0);
    EXPECT_EQ(capture.number("SELECT count(*) FROM notes WHERE code = 'joined-job-alone'"), 1);
}

TEST_F(JoinTest, ADeadRecorderIsSaidAndTheJobRunsOn) {
    const auto first = startFirst();
    const auto joined = startJoined();
    const fs::path folder = session();
    const pid_t orphan = childOf(*first);
    ::kill(first->pid(), SIGKILL);
    waitUntilGone(first->pid());
    const CommandResult late = run(joining(job({"code", "4"})));
    EXPECT_EQ(late.exitCode, 4) << late.describe();
    EXPECT_NE(late.err.find("cannot record"), std::string::npos) << late.describe();
    joined->signal(SIGUSR1);
    const CommandResult result = joined->wait();
    EXPECT_EQ(result.exitCode, 7) << result.describe();
    EXPECT_NE(result.err.find("ended before the job did"), std::string::npos) << result.describe();
    ::kill(orphan, SIGTERM);
    EXPECT_EQ(run(m_machine.command({captureProgram().string(), "recover", folder.string()})).exitCode, 0);
    EXPECT_EQ(OpenedCapture(capturePath()).number(kProcessCount), 2);
}

TEST_F(JoinTest, AnUnknownSessionIsSaidAndTheJobRuns) {
    const CommandResult result = run(joining(job({"code", "5"})));
    EXPECT_EQ(result.exitCode, 5) << result.describe();
    EXPECT_NE(result.err.find("no session `" + m_name + "`"), std::string::npos) << result.describe();
    EXPECT_NE(result.err.find("run --session " + m_name), std::string::npos) << result.describe();
    const CommandResult required = run(joining(job({"code", "5"}), {"--require"}));
    EXPECT_EQ(required.exitCode, 125) << required.describe();
}

TEST_F(JoinTest, AnotherVersionIsRefused) {
    const auto first = startFirst();
    const fs::path settings = session() / "settings";
    std::string text;
    {
        std::ifstream file(settings);
        text.assign(std::istreambuf_iterator<char>(file), {});
    }
    ASSERT_NE(text.find("version="), std::string::npos);
    std::ofstream(settings) << "version=0.0.1 rings 1\n" << text.substr(text.find('\n') + 1);
    const CommandResult result = run(joining(job({"code", "5"})));
    EXPECT_EQ(result.exitCode, 5) << result.describe();
    EXPECT_NE(result.err.find("recorded by vramscope 0.0.1"), std::string::npos) << result.describe();
    first->signal(SIGTERM);
    first->wait();
    EXPECT_EQ(OpenedCapture(capturePath()).number(kProcessCount), 1);
}

TEST_F(JoinTest, AFolderThatOthersCanReadIsNoSession) {
    const auto first = startFirst();
    const fs::path folder = session();
    ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
    const CommandResult result = run(m_machine.recorded({"--join", folder.string()}, job({"code", "5"})));
    EXPECT_EQ(result.exitCode, 5) << result.describe();
    EXPECT_NE(result.err.find("no recording session of yours"), std::string::npos) << result.describe();
    ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
    EXPECT_EQ(run(m_machine.recorded({"--join", folder.string()}, job({"code", "5"}))).exitCode, 5);
    first->signal(SIGTERM);
    first->wait();
    EXPECT_EQ(OpenedCapture(capturePath()).number(kProcessCount), 2) << "the second was joined by its folder";
}

TEST_F(JoinTest, ANameIsTakenOnce) {
    const auto first = startFirst();
    const CommandResult second = run(m_machine.recorded({"--session", m_name}, job({"code", "5"})));
    EXPECT_EQ(second.exitCode, 5) << second.describe();
    EXPECT_NE(second.err.find("is being recorded already"), std::string::npos) << second.describe();
    first->signal(SIGTERM);
    EXPECT_EQ(first->wait().exitCode, 7);
}

TEST_F(JoinTest, WhatTheSessionSettlesIsNotAskedAgain) {
    EXPECT_EQ(run(joining(job({"code", "0"}), {"-o", "other.vramscope"})).exitCode, 2);
    EXPECT_EQ(run(joining(job({"code", "0"}), {"--guard"})).exitCode, 2);
    EXPECT_EQ(run(joining(job({"code", "0"}), {"--session", "b"})).exitCode, 2);
    EXPECT_EQ(record(job({"code", "0"}), {"--session", "a/b"}).exitCode, 2);
}

}  // namespace
}  // namespace vramscope::tests
