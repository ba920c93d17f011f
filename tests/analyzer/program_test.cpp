// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

#include "tests/analyzer/report_support.h"

/// The program as a user meets it: what it prints and the code it returns.
namespace vramscope::tests {
namespace {

struct Result {
    int code = -1;
    std::string output;  // standard output and error together
};

Result run(const std::string& arguments) {
    const char* program = std::getenv("VRAMSCOPE_PROGRAM");
    if (program == nullptr) return {};
    Result result;
    FILE* pipe = popen((std::string(program) + " " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return {};
    std::array<char, 4096> part{};
    for (std::size_t n = 0; (n = fread(part.data(), 1, part.size(), pipe)) > 0;)
        result.output.append(part.data(), n);
    const int status = pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

class Program : public testing::Test {
protected:
    /// A new capture file of the given name.
    static std::string file(CaptureBuilder& builder, const std::string& name) {
        const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
        std::filesystem::remove(path);
        builder.writeTo(path);
        return path.string();
    }
    static std::string busyFile() {
        CaptureBuilder builder;
        busyCapture(builder);
        return file(builder, "busy.vramscope");
    }
};

TEST_F(Program, ReportsAndChecksAFile) {
    const std::string path = busyFile();
    const Result report = run("report " + path);
    EXPECT_EQ(report.code, 0);
    EXPECT_NE(report.output.find("PROBLEMS"), std::string::npos) << report.output;
    const Result check = run("check " + path);
    EXPECT_EQ(check.code, 1);
    EXPECT_NE(check.output.find("FAIL  leak.growth"), std::string::npos) << check.output;
    EXPECT_EQ(run("check " + path + " --allow leak.growth").code, 0);
    EXPECT_EQ(run("check " + path + " --allow leak.growth --max-peak 100MiB").code, 1);
    EXPECT_EQ(run("check " + path + " --allow leak.growth --max-peak 1GiB").code, 0);
}

TEST_F(Program, ABaselineTurnsFailuresIntoKnownFindings) {
    const std::string path = busyFile();
    const std::string baseline = testing::TempDir() + "/program_baseline.txt";
    EXPECT_EQ(run("check " + path + " --write-baseline " + baseline).code, 0);
    const Result check = run("check " + path + " --baseline " + baseline);
    EXPECT_EQ(check.code, 0);
    EXPECT_NE(check.output.find("known leak.growth"), std::string::npos) << check.output;
}

TEST_F(Program, AnIncompleteCaptureIsCodeThree) {
    CaptureBuilder builder;
    builder.drop("ring-full", 1);
    const Result check = run("check " + file(builder, "lossy.vramscope"));
    EXPECT_EQ(check.code, 3);
    EXPECT_NE(check.output.find("lost 1 records"), std::string::npos) << check.output;
}

TEST_F(Program, QueriesAndDumps) {
    const std::string path = busyFile();
    const Result csv =
        run("query " + path + " 'SELECT kind, count(*) AS n FROM buffers GROUP BY kind' --csv");
    EXPECT_EQ(csv.code, 0);
    EXPECT_EQ(csv.output, "kind,n\r\ndevice,101\r\n");
    const Result json = run("query " + path + " 'SELECT 1 AS one, NULL AS none, 0.5 AS half' --json");
    EXPECT_EQ(json.output, "[\n{\"one\":1,\"none\":null,\"half\":0.5}\n]\n");
    const Result table = run("query " + path + " 'SELECT count(*) AS launches FROM launches'");
    EXPECT_EQ(table.output, "launches\n      20\n");
    EXPECT_EQ(run("query " + path + " 'DELETE FROM buffers'").code, 3);
    EXPECT_EQ(run("query " + path + " 'SELEC'").code, 2);
    const Result dump = run("dump " + path + " --table failed_calls");
    EXPECT_NE(dump.output.find("failed_calls failed_call_id=1 process_id=1"), std::string::npos)
        << dump.output;
    EXPECT_EQ(run("dump " + path).output, run("dump " + path).output);
}

TEST_F(Program, DiffTellsChangesByItsCode) {
    const std::string path = busyFile();
    EXPECT_EQ(run("diff " + path + " " + path).code, 0);
    CaptureBuilder other;
    const Result diff = run("diff " + path + " " + file(other, "other.vramscope"));
    EXPECT_EQ(diff.code, 1);
    EXPECT_NE(diff.output.find("PROBLEMS THAT ARE GONE"), std::string::npos) << diff.output;
}

TEST_F(Program, BadFilesAreToldWithTheirNames) {
    const std::string text = testing::TempDir() + "/letter.vramscope";
    std::ofstream(text) << "Dear Sir or Madam, this is no capture at all, whatever its name says.";
    const Result foreign = run("report " + text);
    EXPECT_EQ(foreign.code, 3);
    EXPECT_NE(foreign.output.find("letter.vramscope is not a capture of vramscope.\n  Give a file"),
              std::string::npos)
        << foreign.output;
    EXPECT_EQ(run("report /nowhere/x.vramscope").code, 3);
}

TEST_F(Program, UsageErrorsSuggestWhatWasMeant) {
    const Result verb = run("reprot x");
    EXPECT_EQ(verb.code, 2);
    EXPECT_NE(verb.output.find("Did you mean `report`?"), std::string::npos) << verb.output;
    const Result option = run("report x --tpo 3");
    EXPECT_EQ(option.code, 2);
    EXPECT_NE(option.output.find("Did you mean --top?"), std::string::npos) << option.output;
    EXPECT_EQ(run("").code, 2);
}

TEST_F(Program, HelpBeginsWithExamples) {
    const Result help = run("check --help");
    EXPECT_EQ(help.code, 0);
    EXPECT_LT(help.output.find("vramscope check train.vramscope"), help.output.find("Usage:")) << help.output;
    EXPECT_EQ(run("--help").code, 0);
    EXPECT_EQ(run("--version").code, 0);
}

TEST_F(Program, VerbsOfProgramsThatAreNotInstalledSaySo) {
    // Copied away from its siblings, which a full build puts beside it.
    const std::filesystem::path alone = std::filesystem::path(testing::TempDir()) / "alone";
    std::filesystem::create_directories(alone);
    std::filesystem::copy_file(std::getenv("VRAMSCOPE_PROGRAM"), alone / "vramscope",
                               std::filesystem::copy_options::overwrite_existing);
    setenv("VRAMSCOPE_PROGRAM", (alone / "vramscope").c_str(), 1);
    const Result result = run("open x.vramscope");
    EXPECT_EQ(result.code, 127);
    EXPECT_NE(result.output.find("vramscope-viewer is missing beside vramscope"), std::string::npos)
        << result.output;
    // With the sibling there, it gets the verb and its arguments.
    std::ofstream(alone / "vramscope-capture") << "#!/bin/sh\necho got \"$@\"\nexit 7\n";
    std::filesystem::permissions(alone / "vramscope-capture", std::filesystem::perms::owner_all);
    const Result handed = run("run -- ./train --fast");
    EXPECT_EQ(handed.code, 7);
    EXPECT_EQ(handed.output, "got run -- ./train --fast\n");
}

}  // namespace
}  // namespace vramscope::tests
