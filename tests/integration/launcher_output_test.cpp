// SPDX-License-Identifier: Apache-2.0
// Where the capture goes: never over a file that somebody may need.
#include <algorithm>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> capturesIn(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".vramscope") names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

using LauncherOutputTest = JobTest;

TEST_F(LauncherOutputTest, KeepsAFileThatIsThere) {
    std::ofstream(capturePath()) << "somebody's thesis";
    const CommandResult result = record(job({"code", "5"}));
    EXPECT_EQ(result.exitCode, 5) << result.describe();
    EXPECT_EQ(contentOf(capturePath()), "somebody's thesis");
    EXPECT_NE(result.err.find("job.vramscope"), std::string::npos) << result.err;
}

TEST_F(LauncherOutputTest, ReplacesItWhenToldTo) {
    EXPECT_EQ(record(job({"code", "1"})).exitCode, 1);
    EXPECT_EQ(record(job({"code", "2"}), {"-f"}).exitCode, 2);
    EXPECT_EQ(OpenedCapture(capturePath()).number("SELECT exit_code FROM processes"), 2);
}

TEST_F(LauncherOutputTest, TakesTheNextFreeName) {
    for (int i = 0; i < 3; ++i)
        run(m_machine.recorded({}, job({"code", "0"})));
    EXPECT_EQ(capturesIn(m_machine.folder()),
              (std::vector<std::string>{"integration_job.2.vramscope", "integration_job.3.vramscope",
                                        "integration_job.vramscope"}));
}

TEST_F(LauncherOutputTest, FillsInPidHostAndRank) {
    CommandLine line = m_machine.recorded({"-o", "p%p-h%h-r%r-%%.vramscope"}, job({"code", "0"}));
    line.environment["RANK"] = "3";
    RunningCommand command(line);
    const std::string pid = std::to_string(command.pid());
    EXPECT_EQ(command.wait().exitCode, 0);
    char host[256] = "";
    ::gethostname(host, sizeof(host) - 1);
    EXPECT_EQ(capturesIn(m_machine.folder()),
              std::vector<std::string>{"p" + pid + "-h" + host + "-r3-%.vramscope"});
}

TEST_F(LauncherOutputTest, RunsTheJobWhenTheFileCannotBeWritten) {
    const CommandResult result =
        run(m_machine.recorded({"-o", "no/such/folder/a.vramscope"}, job({"code", "9"})));
    EXPECT_EQ(result.exitCode, 9) << result.describe();
    EXPECT_NE(result.err.find("no/such/folder"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("without recording"), std::string::npos) << result.err;
}

TEST_F(LauncherOutputTest, RunsTheJobWhenNobodyReadsItsMessages) {
    CommandLine line = m_machine.recorded({"-o", "no/such/folder/a.vramscope"}, {"touch", "the-job-ran"});
    // By the time there is something to say, the reader is gone.
    line.words.insert(line.words.begin(), {"sh", "-c", "{ sleep 0.3; \"$@\"; } 2>&1 | true", "sh"});
    run(line);
    EXPECT_TRUE(fs::exists(m_machine / "the-job-ran"));
}

TEST_F(LauncherOutputTest, TheJobKeepsWhatItWouldDoWithAClosedPipe) {
    const CommandResult result = record({"sh", "-c", "kill -PIPE $$; exit 0"});
    EXPECT_EQ(result.exitCode, 128 + 13) << result.describe();
}

TEST_F(LauncherOutputTest, EndsInsteadWhenRecordingIsRequired) {
    const CommandResult result =
        run(m_machine.recorded({"--require", "-o", "no/such/folder/a.vramscope"}, {"touch", "the-job-ran"}));
    EXPECT_EQ(result.exitCode, 125) << result.describe();
    EXPECT_FALSE(fs::exists(m_machine / "the-job-ran"));
}

TEST_F(LauncherOutputTest, MakesOneFileForItsOwnerAlone) {
    EXPECT_EQ(record(job({"code", "0"})).exitCode, 0);
    struct stat facts {};
    ASSERT_EQ(::stat(capturePath().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600U);
    EXPECT_FALSE(fs::exists(capturePath().string() + "-wal"));
    EXPECT_FALSE(fs::exists(capturePath().string() + "-shm"));
}

TEST_F(LauncherOutputTest, LeavesNothingElseBehind) {
    EXPECT_EQ(record(job({"code", "0"})).exitCode, 0);
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(m_machine.folder()))
        names.push_back(entry.path().filename());
    EXPECT_EQ(names, std::vector<std::string>{"job.vramscope"});
}

}  // namespace
}  // namespace vramscope::tests
