// SPDX-License-Identifier: Apache-2.0
// A job that sees other files than the recorder does, as in a container: its functions still get their names.
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

using ContainerTest = JobTest;

TEST_F(ContainerTest, FunctionsAreNamedFromTheJobsOwnFiles) {
    if (const std::string why = whyNoMountNamespace(); !why.empty()) GTEST_SKIP() << why;
    const std::filesystem::path folder = m_machine / "app";
    std::filesystem::create_directory(folder);
    // The program is on a file system that only the job has and that is gone with it.
    // It lives long enough to be met on a busy machine.
    const std::vector<std::string> inside = job({"threads-in-turn", "3000"});
    const std::string script =
        "mount -t tmpfs vramscope-test \"$0\" && cp \"$1\" \"$0/job\" || exit 99; "
        "program=\"$0/job\"; shift; exec \"$program\" \"$@\"";
    std::vector<std::string> words{"unshare", "-m", "sh", "-c", script, folder.string()};
    words.insert(words.end(), inside.begin(), inside.end());
    const CommandResult result = record(words);
    ASSERT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    const std::string ofTheJob = " FROM frames JOIN modules USING (module_id) WHERE path LIKE '%/app/job'";
    EXPECT_GT(capture.number("SELECT count(*)" + ofTheJob), 0);
    EXPECT_EQ(capture.number("SELECT count(*)" + ofTheJob + " AND function IS NULL"), 0);
}

TEST_F(ContainerTest, AProgramThatWasReplacedMeanwhileIsTold) {
    const std::filesystem::path copy = m_machine / "job-to-replace";
    std::vector<std::string> words = job({"code", "8"});
    std::filesystem::copy_file(words[0], copy);
    // Another program takes its place while it runs.
    const std::string script = "\"$@\"; code=$?; cp /bin/true \"$1.new\"; mv \"$1.new\" \"$1\"; exit $code";
    words[0] = copy.string();
    words.insert(words.begin(), {"sh", "-c", script, "sh"});
    const CommandResult result = record(words);
    ASSERT_EQ(result.exitCode, 8) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_NE(
        capture.text("SELECT message FROM notes WHERE code = 'program-files-replaced'").find(copy.string()),
        std::string::npos);
    const CommandResult report = run(m_machine.command({analyzerProgram(), "report", capturePath()}));
    EXPECT_NE(report.out.find("One program file was replaced on disk"), std::string::npos) << report.out;
}

}  // namespace
}  // namespace vramscope::tests
