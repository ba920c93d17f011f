// SPDX-License-Identifier: Apache-2.0
// How processes end that are not the launcher's own children, and what a check makes of it.
#include <csignal>
#include <cstdio>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

using EndingsTest = JobTest;

/// Whether the kernel tells of a process that has been waited for how it ended (PIDFD_GET_INFO, Linux 6.15).
bool kernelTellsLater() {
    utsname facts{};
    int major = 0;
    int minor = 0;
    ::uname(&facts);
    if (std::sscanf(facts.release, "%d.%d", &major, &minor) != 2) return false;
    return major > 6 || (major == 6 && minor >= 15);
}

TEST_F(EndingsTest, FailsOnWhatAForkedWorkerLeaves) {
    for (int round = 0; round < 12; ++round) {
        const CommandResult result = record(job({"fork-and-pin", "0"}), {"-f", "--check"});
        OpenedCapture capture(capturePath());
        EXPECT_EQ(capture.number("SELECT count(*) FROM buffers"), 5);
        const std::string end = capture.text("SELECT end_kind FROM processes");
        if (kernelTellsLater() || end == "exited") {
            ASSERT_EQ(end, "exited") << "round " << round;
            ASSERT_EQ(result.exitCode, 1) << "round " << round << ": " << result.describe();
        } else {
            ASSERT_EQ(result.exitCode, 3) << "round " << round << ": " << result.describe();
            EXPECT_NE(result.out.find("which nobody could say"), std::string::npos) << result.describe();
        }
    }
}

TEST_F(EndingsTest, TellsHowAGrandchildEnded) {
    if (!kernelTellsLater()) GTEST_SKIP() << "the kernel does not tell of processes that were waited for";
    for (int round = 0; round < 10; ++round) {
        // It is waited for by its own parent, at once.
        record({"sh", "-c", R"("$0" abort; "$0" at-once 7; exit 0)", jobProgram()}, {"-f"});
        OpenedCapture capture(capturePath());
        ASSERT_EQ(capture.table("SELECT end_kind, exit_code, exit_signal FROM processes ORDER BY 1"),
                  "exited|7|\nkilled||6\n")
            << "round " << round;
    }
}

TEST_F(EndingsTest, ReadsTheEndOfOneThatNobodyWaitsFor) {
    // The shell becomes a program that waits for nobody: its child stays a zombie until it ends itself.
    record({"sh", "-c", R"("$0" at-once 9 & exec sleep 1)", jobProgram()});
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.text("SELECT end_kind || exit_code FROM processes"), "exited9");
}

TEST_F(EndingsTest, CannotDecideAboutAProcessThatRunsOn) {
    const CommandResult result = record(job({"leave-child"}), {"--check"});
    EXPECT_EQ(result.exitCode, 3) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.text("SELECT end_kind FROM processes"), "running");
    const std::string pid = capture.text("SELECT pid FROM processes");
    EXPECT_NE(result.out.find("until pid " + pid + " has ended"), std::string::npos) << result.describe();
    EXPECT_NE(result.out.find("leak.pinned"), std::string::npos) << result.describe();
}

TEST_F(EndingsTest, SeesAProcessOfAnotherPidNamespace) {
    const std::vector<std::string> inside{"unshare", "-rpf", "--mount-proc", jobProgram(), "at-once", "5"};
    if (run(m_machine.command({"unshare", "-rpf", "--mount-proc", "true"})).exitCode != 0) {
        GTEST_SKIP() << "no pid namespaces here";
    }
    if (!kernelTellsLater()) GTEST_SKIP() << "the kernel does not tell of processes that were waited for";
    const CommandResult result = record(inside);
    EXPECT_EQ(result.exitCode, 5) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.text("SELECT pid || end_kind FROM processes"), "1exited");
    EXPECT_EQ(capture.number("SELECT exit_code FROM processes"), 5);
    EXPECT_EQ(result.err.find("still running"), std::string::npos) << result.describe();
}

}  // namespace
}  // namespace vramscope::tests
