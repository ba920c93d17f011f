// SPDX-License-Identifier: Apache-2.0
// Jobs that cannot be recorded: each says why, and runs as if nobody had tried.
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

namespace fs = std::filesystem;

using LauncherRivalsTest = JobTest;

TEST_F(LauncherRivalsTest, GivesWayToAnotherInjection) {
    CommandLine line = recording(job({"code", "3"}));
    line.environment["CUDA_INJECTION64_PATH"] = "/opt/other/libtool.so";
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 3) << result.describe();
    EXPECT_NE(result.err.find("/opt/other/libtool.so"), std::string::npos) << result.err;
}

TEST_F(LauncherRivalsTest, RefusesToGiveWayWhenRecordingIsRequired) {
    CommandLine line = recording(job({"code", "3"}), {"--require"});
    line.environment["CUDA_INJECTION64_PATH"] = "/opt/other/libtool.so";
    EXPECT_EQ(run(line).exitCode, 125);
}

TEST_F(LauncherRivalsTest, ToleratesItsOwnInjection) {
    CommandLine line = recording(job({"code", "3"}));
    line.environment["CUDA_INJECTION64_PATH"] = injectedLibraryFile().string();
    EXPECT_EQ(run(line).exitCode, 3);
    EXPECT_EQ(OpenedCapture(capturePath()).number(kBufferCount), 2);
}

TEST_F(LauncherRivalsTest, SaysThatAnotherToolHoldsCupti) {
    const std::vector<std::string> command{"env", "LD_PRELOAD=" + subscriberLibrary(), jobProgram(), "code",
                                           "3"};
    const CommandResult result = record(command);
    EXPECT_EQ(result.exitCode, 3) << result.describe();
    ASSERT_NE(result.err.find("first subscriber is in"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("without recording"), std::string::npos) << result.err;
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kProcessCount), 1);
    EXPECT_NE(capture.text("SELECT off_reason FROM processes"), "");
    EXPECT_EQ(capture.number("SELECT count(*) FROM buffers"), 0);
}

TEST_F(LauncherRivalsTest, EndsTheJobThatAnotherToolHoldsWhenRequired) {
    const std::vector<std::string> command{"env", "LD_PRELOAD=" + subscriberLibrary(), jobProgram(), "code",
                                           "3"};
    EXPECT_EQ(record(command, {"--require"}).exitCode, 125);
}

TEST_F(LauncherRivalsTest, SaysThatThereIsNoCupti) {
    // A driver without CUPTI beside it, as on a machine that only runs programs.
    fs::create_directory(m_machine / "driver");
    fs::copy_file(simulatedLibraries() / "libcuda.so.1", m_machine / "driver/libcuda.so.1");
    CommandLine line = recording(job({"code", "3"}));
    line.environment["LD_LIBRARY_PATH"] = (m_machine / "driver").string();
    line.environment["CUDA_HOME"] = std::nullopt;
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 3) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_NE(capture.text("SELECT off_reason FROM processes"), "")
        << capture.table("SELECT engine, engine_path FROM processes");
    EXPECT_NE(result.err.find("without recording"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace vramscope::tests
