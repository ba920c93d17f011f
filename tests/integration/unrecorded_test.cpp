// SPDX-License-Identifier: Apache-2.0
// What a recording says of processes that it could not record, and of itself when it could not write.
#include <fstream>
#include <iterator>
#include <memory>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

namespace fs = std::filesystem;

using UnrecordedTest = JobTest;

std::vector<std::string> withEnvironment(const std::vector<std::string>& settings,
                                         const std::vector<std::string>& command) {
    std::vector<std::string> words{"env"};
    words.insert(words.end(), settings.begin(), settings.end());
    words.insert(words.end(), command.begin(), command.end());
    return words;
}

TEST_F(UnrecordedTest, AProcessWithoutARingIsInTheCaptureAndLeavesTheCheckUndecided) {
    const CommandResult result =
        record(withEnvironment({"VRAMSCOPE_RING_BYTES=1024"}, job({"code", "0"})), {"--check"});
    EXPECT_EQ(result.exitCode, 3) << result.describe();
    EXPECT_NE(result.err.find("nothing was recorded"), std::string::npos) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kProcessCount), 1);
    EXPECT_NE(capture.text("SELECT off_reason FROM processes").find("too small"), std::string::npos);
    EXPECT_EQ(capture.text("SELECT end_kind || exit_code FROM processes"), "exited0");
    EXPECT_NE(capture.text("SELECT command FROM processes").find("code 0"), std::string::npos);
}

TEST_F(UnrecordedTest, AProcessThatMayNotEnterTheSessionSaysSoAllTheSame) {
    // As it is for a job that switches to another user.
    const CommandResult result = record(withEnvironment(
        {"VRAMSCOPE_SESSION=/proc/none", "VRAMSCOPE_FALLBACK=/proc/none"}, job({"code", "4"})));
    EXPECT_EQ(result.exitCode, 4) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_NE(capture.text("SELECT off_reason FROM processes").find("/proc/none (No such file"),
              std::string::npos)
        << result.describe();
}

TEST_F(UnrecordedTest, ACheckOfARunThatCannotBeRecordedGivesNoVerdict) {
    CommandLine rival = recording(job({"code", "0"}), {"--check"});
    rival.environment["CUDA_INJECTION64_PATH"] = "/opt/other/libtool.so";
    EXPECT_EQ(run(rival).exitCode, 3);
    const CommandLine nowhere =
        m_machine.recorded({"--check", "-o", "no/such/folder/a.vramscope"}, job({"code", "0"}));
    EXPECT_EQ(run(nowhere).exitCode, 3);
    const CommandLine failing =
        m_machine.recorded({"--check", "-o", "no/such/folder/a.vramscope"}, job({"code", "7"}));
    EXPECT_EQ(run(failing).exitCode, 7) << "the job's own code comes first";
}

TEST_F(UnrecordedTest, NoSecretOfTheCommandLineIsInTheCapture) {
    const CommandResult result =
        record(job({"code", "0", "--token=SECRET123", "--password", "hunter2", "API_KEY=k3y"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    std::ifstream file(capturePath(), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    for (const char* secret : {"SECRET123", "hunter2", "k3y"})
        EXPECT_EQ(content.find(secret), std::string::npos) << secret;
    const std::string command =
        OpenedCapture(capturePath()).text("SELECT value FROM meta WHERE key = 'command'");
    EXPECT_NE(command.find(" code 0 --token=*** --password *** API_KEY=***"), std::string::npos) << command;
}

TEST_F(UnrecordedTest, ALimitOnFileSizesEndsNeitherTheJobNorTheLauncher) {
    ASSERT_EQ(record(job({"code", "0"}), {"-f"}).exitCode, 0) << "makes the simulated device";
    for (const char* blocks : {"20", "300", "600"}) {
        const std::string line =
            "ulimit -f " + std::string(blocks) + R"(; exec "$0" run -f -o job.vramscope -- "$1" code 3)";
        const CommandResult result =
            run(m_machine.command({"sh", "-c", line, captureProgram(), jobProgram()}));
        EXPECT_EQ(result.exitCode, 3) << blocks << ": " << result.describe();
        for (const auto& entry : fs::directory_iterator(m_machine.folder()))
            EXPECT_FALSE(fs::is_directory(entry)) << entry.path() << " was left behind";
    }
}

TEST_F(UnrecordedTest, TheJobKeepsWhatItWouldDoAtALimitOnFileSizes) {
    const CommandResult result = record({"sh", "-c", "kill -XFSZ $$; exit 0"});
    EXPECT_EQ(result.exitCode, 128 + 25) << result.describe();
}

TEST_F(UnrecordedTest, RefusesRingsThatHoldNothing) {
    for (const char* size : {"-5", "0", "1KiB", "nonsense", "99999999TiB"}) {
        const CommandResult result = record({"true"}, {"--ring", size});
        EXPECT_EQ(result.exitCode, 2) << size << ": " << result.describe();
    }
    EXPECT_EQ(record({"true"}, {"--ring", "2MiB"}).exitCode, 0);
}

TEST_F(UnrecordedTest, TwoRecordersOfOneNameSayWhatIsWrong) {
    for (int round = 0; round < 8; ++round) {
        std::vector<std::unique_ptr<RunningCommand>> commands;
        for (int i = 0; i < 3; ++i)
            commands.push_back(std::make_unique<RunningCommand>(recording(job({"code", "0"}), {"-f"})));
        for (const auto& command : commands) {
            const CommandResult result = command->wait();
            EXPECT_EQ(result.exitCode, 0) << result.describe();
            EXPECT_EQ(result.err.find("locked"), std::string::npos) << result.describe();
        }
    }
}

}  // namespace
}  // namespace vramscope::tests
