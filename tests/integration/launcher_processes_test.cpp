// SPDX-License-Identifier: Apache-2.0
// Jobs of several processes, and signals on their way through the launcher.
#include <csignal>
#include <fstream>
#include <memory>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

using LauncherProcessesTest = JobTest;

TEST_F(LauncherProcessesTest, RecordsBothChildrenOfAScript) {
    const CommandResult result = record({"sh", "-c", R"("$0" code 0 & "$0" at-once 0 & wait)", jobProgram()});
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kProcessCount), 2);
    EXPECT_EQ(capture.number("SELECT count(DISTINCT pid) FROM processes"), 2);
    EXPECT_EQ(capture.number(kBufferCount), 4);
    // The one that calls exit() says so itself. _exit() runs no handler: the kernel tells how it ended if the
    // recorder saw the process alive (Linux 6.15), else nobody can say. Nothing else may be claimed, and no
    // other code.
    EXPECT_GE(capture.number("SELECT count(*) FROM processes WHERE end_kind = 'exited'"), 1);
    EXPECT_EQ(
        capture.number("SELECT count(*) FROM processes WHERE (end_kind = 'exited' AND exit_code = 0) OR "
                       "(end_kind = 'vanished' AND exit_code IS NULL AND exit_signal IS NULL)"),
        2);
}

TEST_F(LauncherProcessesTest, RecordsAChildThatRunsAnotherProgram) {
    const CommandResult result = record(job({"fork-exec"}));
    EXPECT_EQ(result.exitCode, 4) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kProcessCount), 2);
    EXPECT_EQ(capture.number(
                  "SELECT count(*) FROM buffers b JOIN processes p USING (process_id) WHERE p.exit_code = 4 "
                  "AND p.command LIKE '%code 4%'"),
              2);
    EXPECT_EQ(capture.number(kBufferCount), 7);
}

// A ring is as large as 64 MiB; a build that starts thousands of processes must not fill the machine's memory
// with them.
TEST_F(LauncherProcessesTest, GivesTheRingsOfEndedProcessesBack) {
    const CommandResult result = record({"sh", "-c",
                                         R"(for i in 1 2 3; do "$0" code 0 || exit 99; done
                   for i in $(seq 200); do
                       rings=$(grep -c arena- /proc/$PPID/maps)
                       [ "$rings" = 0 ] && exit 0
                       sleep 0.05
                   done
                   exit "$rings")",
                                         jobProgram()});
    EXPECT_EQ(result.exitCode, 0) << "rings still mapped by the recorder: " << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kProcessCount), 3);
    EXPECT_NE(result.err.find("3 processes"), std::string::npos) << result.describe();
}

TEST_F(LauncherProcessesTest, RecordsBothProgramsOfAProcessThatExecs) {
    const CommandResult result = record(job({"exec-after-use"}));
    EXPECT_EQ(result.exitCode, 6) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kProcessCount), 2);
    EXPECT_EQ(capture.table("SELECT count(*) FROM buffers GROUP BY process_id ORDER BY process_id"),
              "3\n2\n");
    EXPECT_EQ(capture.table("SELECT end_kind, exit_code FROM processes ORDER BY process_id"),
              "execed|\nexited|6\n");
}

TEST_F(LauncherProcessesTest, TellsForkedProcessesApart) {
    const CommandResult result = record(job({"fork-before"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table("SELECT count(*) FROM buffers GROUP BY process_id ORDER BY 1"), "2\n5\n");
    EXPECT_EQ(capture.number("SELECT count(*) FROM processes c JOIN processes p ON c.parent_pid = p.pid"), 1);
    EXPECT_EQ(capture.number(kLiveCount), 0);
}

TEST_F(LauncherProcessesTest, IsNotDisturbedByAForkAfterInit) {
    const CommandResult result = record(job({"fork-after"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kProcessCount), 1) << "the child never initialised CUDA";
    EXPECT_EQ(capture.number(kBufferCount), 7);
    EXPECT_EQ(capture.number(kLiveCount), 0);
    EXPECT_EQ(capture.text("SELECT end_kind || exit_code FROM processes"), "exited0");
    // The call that failed in the child is none of the parent's.
    EXPECT_EQ(capture.number("SELECT count(*) FROM failed_calls"), 0);
}

TEST_F(LauncherProcessesTest, SurvivesForksInTheMiddleOfCalls) {
    const CommandResult result = record(job({"fork-in-thread"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kLiveCount), 0);
    EXPECT_EQ(capture.lostCount(), 0);
}

TEST_F(LauncherProcessesTest, HandsASignalOnToTheJob) {
    for (const int signal : {SIGTERM, SIGHUP, SIGUSR1}) {
        RunningCommand command(recording(job({"on-signal", std::to_string(signal)}), {"-f"}));
        ASSERT_TRUE(command.waitForOutput("ready"));
        command.signal(signal);
        const CommandResult result = command.wait();
        EXPECT_EQ(result.exitCode, 7) << result.describe();
        OpenedCapture capture(capturePath());
        EXPECT_EQ(capture.number(kLiveCount), 0);
        EXPECT_EQ(capture.text("SELECT value FROM meta WHERE key = 'state'"), "complete");
    }
}

TEST_F(LauncherProcessesTest, LeavesCtrlCToTheJob) {
    RunningCommand command(recording(job({"on-signal", std::to_string(SIGINT)})));
    ASSERT_TRUE(command.waitForOutput("ready"));
    command.signalGroup(SIGINT);
    const CommandResult result = command.wait();
    EXPECT_EQ(result.exitCode, 7) << result.describe();
    EXPECT_EQ(OpenedCapture(capturePath()).text("SELECT value FROM meta WHERE key = 'state'"), "complete");
}

TEST_F(LauncherProcessesTest, FinishesTheCaptureOfAJobThatCtrlCEnds) {
    // SIGTERM is what it waits for; nothing handles SIGINT, so that ends it.
    RunningCommand command(recording(job({"on-signal", std::to_string(SIGTERM)})));
    ASSERT_TRUE(command.waitForOutput("ready"));
    command.signalGroup(SIGINT);
    const CommandResult result = command.wait();
    EXPECT_EQ(result.exitCode, 128 + SIGINT) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.text("SELECT end_kind || exit_signal FROM processes"), "killed2");
    EXPECT_EQ(capture.number(kLiveCount), 1);
}

TEST_F(LauncherProcessesTest, RecordsPythonThatCallsTheDriver) {
    const std::string script =
        "import ctypes\n"
        "cuda = ctypes.CDLL('libcuda.so.1')\n"
        "def ok(code): assert code == 0, code\n"
        "ok(cuda.cuInit(0))\n"
        "context = ctypes.c_void_p()\n"
        "ok(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))\n"
        "ok(cuda.cuCtxSetCurrent(context))\n"
        "block = ctypes.c_uint64()\n"
        "for size in (1000, 2000, 3000):\n"
        "    ok(cuda.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(size)))\n"
        "ok(cuda.cuMemFree_v2(block))\n"
        "raise SystemExit(11)\n";
    std::ofstream(m_machine / "script.py") << script;
    const CommandResult result = record({"python3", "script.py"});
    EXPECT_EQ(result.exitCode, 11) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table("SELECT size_bytes FROM buffers ORDER BY alloc_ns"), "1000\n2000\n3000\n");
    EXPECT_EQ(capture.number(kLiveCount), 2);
}

TEST_F(LauncherProcessesTest, ProcessesThatStartTogetherShareAFreshMachine) {
    for (int round = 0; round < 10; ++round) {
        const SimulatedMachine machine;
        std::vector<std::unique_ptr<RunningCommand>> commands;
        for (int i = 0; i < 6; ++i)
            commands.push_back(std::make_unique<RunningCommand>(machine.command(job({"code", "0"}))));
        for (const auto& command : commands) {
            const CommandResult result = command->wait();
            EXPECT_EQ(result.exitCode, 0) << result.describe();
        }
    }
}

}  // namespace
}  // namespace vramscope::tests
