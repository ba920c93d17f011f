// SPDX-License-Identifier: Apache-2.0
// How `vramscope run` ends: the job's own code, or that of a job that could not start.
#include <csignal>
#include <fstream>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

using LauncherExitTest = JobTest;

TEST_F(LauncherExitTest, GivesTheJobsCode) {
    for (const int code : {0, 1, 3, 42, 125, 255}) {
        const CommandResult result = record(job({"code", std::to_string(code)}), {"-f"});
        EXPECT_EQ(result.exitCode, code) << result.describe();
        OpenedCapture capture(capturePath());
        EXPECT_EQ(capture.text("SELECT end_kind FROM processes"), "exited");
        EXPECT_EQ(capture.number("SELECT exit_code FROM processes"), code);
        EXPECT_EQ(capture.number(kBufferCount), 2);
        EXPECT_EQ(capture.number(kLiveCount), 1);
    }
}

TEST_F(LauncherExitTest, GivesTheShellsCodeForASignal) {
    for (const int signal : {SIGTERM, SIGSEGV, SIGKILL, SIGABRT}) {
        const CommandResult result = record(job({"signal", std::to_string(signal)}), {"-f"});
        EXPECT_EQ(result.exitCode, 128 + signal) << result.describe();
        OpenedCapture capture(capturePath());
        EXPECT_EQ(capture.text("SELECT end_kind FROM processes"), "killed");
        EXPECT_EQ(capture.number("SELECT exit_signal FROM processes"), signal);
        EXPECT_EQ(capture.number(kLiveCount), 1);
    }
}

TEST_F(LauncherExitTest, RecordsEveryWayToEnd) {
    struct Ending {
        std::vector<std::string> words;
        int code;
        const char* endKind;
    };
    const std::vector<Ending> endings{{{"at-once", "3"}, 3, "exited"},
                                      {{"abort"}, 128 + SIGABRT, "killed"},
                                      {{"exception"}, 128 + SIGABRT, "killed"}};
    for (const Ending& ending : endings) {
        const CommandResult result = record(job(ending.words), {"-f"});
        EXPECT_EQ(result.exitCode, ending.code) << result.describe();
        OpenedCapture capture(capturePath());
        EXPECT_EQ(capture.text("SELECT end_kind FROM processes"), ending.endKind) << ending.words[0];
        EXPECT_EQ(capture.number(kBufferCount), 2) << ending.words[0];
        EXPECT_EQ(capture.number(kLiveCount), 1) << ending.words[0];
        EXPECT_EQ(capture.lostCount(), 0);
    }
}

TEST_F(LauncherExitTest, SaysThatAProgramIsNotThere) {
    const CommandResult result = record({"./no-such-program"});
    EXPECT_EQ(result.exitCode, 127);
    EXPECT_NE(result.err.find("no-such-program"), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(capturePath())) << "a capture of nothing was left behind";
}

TEST_F(LauncherExitTest, SaysThatAFileIsNoProgram) {
    std::ofstream(m_machine / "notes.txt") << "not a program\n";
    const CommandResult result = record({"./notes.txt"});
    EXPECT_EQ(result.exitCode, 126);
    EXPECT_NE(result.err.find("notes.txt"), std::string::npos) << result.err;
}

TEST_F(LauncherExitTest, LeavesAJobWithoutCudaAlone) {
    const CommandResult result = record({"sh", "-c", "echo out; echo err >&2; exit 6"});
    EXPECT_EQ(result.exitCode, 6);
    EXPECT_EQ(result.out, "out\n");
    EXPECT_NE(result.err.find("no process announced itself"), std::string::npos) << result.err;
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kProcessCount), 0);
    EXPECT_EQ(capture.text("SELECT value FROM meta WHERE key = 'state'"), "complete");
}

TEST_F(LauncherExitTest, KeepsTheJobsCodeWhenNobodyReadsItsMessages) {
    const CommandResult result = run(m_machine.command(
        {"sh", "-c", R"({ "$0" run -o job.vramscope -- "$1" code 3; echo $? >code; } 2>&1 >/dev/null | true)",
         captureProgram(), jobProgram()}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    int code = -1;
    std::ifstream(m_machine / "code") >> code;
    EXPECT_EQ(code, 3);
    EXPECT_EQ(OpenedCapture(capturePath()).text("SELECT value FROM meta WHERE key = 'state'"), "complete");
}

TEST_F(LauncherExitTest, RefusesWrongUsage) {
    EXPECT_EQ(run(m_machine.command({captureProgram(), "run"})).exitCode, 2);
    EXPECT_EQ(run(m_machine.command({captureProgram(), "run", "--no-such-option", "--", "true"})).exitCode,
              2);
    EXPECT_EQ(run(m_machine.command({captureProgram(), "run", "--record", "some", "--", "true"})).exitCode,
              2);
}

}  // namespace
}  // namespace vramscope::tests
