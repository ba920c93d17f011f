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

std::string programPath() {
    const char* program = std::getenv("VRAMSCOPE_PROGRAM");
    return program != nullptr ? program : "";
}

/// A line of the shell; what it sends to its standard error is part of the output.
Result shell(const std::string& line) {
    Result result;
    FILE* pipe = popen(("{ " + line + "; } 2>&1").c_str(), "r");
    if (pipe == nullptr) return {};
    std::array<char, 4096> part{};
    for (std::size_t n = 0; (n = fread(part.data(), 1, part.size(), pipe)) > 0;)
        result.output.append(part.data(), n);
    const int status = pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

Result run(const std::string& arguments) {
    return shell(programPath() + " " + arguments);
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
    EXPECT_NE(check.output.find("lost 1 record ("), std::string::npos) << check.output;
}

TEST_F(Program, AnIncompleteCaptureIsFineWhereTheRulesDoNotNeedWhatIsMissing) {
    CaptureBuilder lossy;
    lossy.drop("ring-full", 1);
    const std::string path = file(lossy, "lossy.vramscope");
    EXPECT_EQ(run("check " + path + " --allow leak,corruption,ordering,sharing").code, 0);
    EXPECT_EQ(run("check " + path + " --allow leak,corruption,ordering,sharing --max-peak 1GiB").code, 3);
    EXPECT_EQ(run("check " + path + " --allow leak,corruption,ordering,sharing --fail-on fit").code, 3);
    CaptureBuilder window;
    window.exec("INSERT INTO dropped_chunks VALUES ('launches', 1, 2, 5000)");
    const Result result = run("check " + file(window, "window.vramscope"));
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.output.find("nothing that these rules need"), std::string::npos) << result.output;
}

TEST_F(Program, AnIncompleteCaptureIsCodeOneWhenAFailureIsProvenAlready) {
    CaptureBuilder builder;
    builder.allocate({.bytes = 2'000'000'000, .allocNs = 5});
    builder.fact("state", "recording");
    EXPECT_EQ(run("check " + file(builder, "cut.vramscope") + " --max-peak 1GiB").code, 1);
}

TEST_F(Program, NoVerbCallsACutCaptureFree) {
    CaptureBuilder builder;
    builder.fact("state", "recording");
    builder.fact("stopped_because", "database or disk is full.");
    const std::string path = file(builder, "cut.vramscope");
    EXPECT_NE(run("report " + path).output.find("NO PROBLEMS FOUND IN WHAT WAS RECORDED"), std::string::npos);
    EXPECT_NE(run("summary " + path).output.find("in what was recorded; recording stopped at"),
              std::string::npos);
    const Result diff = run("diff " + path + " " + path);
    EXPECT_NE(diff.output.find("Recording stopped at"), std::string::npos) << diff.output;
    EXPECT_EQ(run("check " + path).code, 3);
}

TEST_F(Program, AReaderThatGoesAwayIsNoFailure) {
    const std::string path = busyFile();
    for (const std::string verb :
         {"report ", "report --json ", "check ", "check --json ", "dump ", "summary "}) {
        // Under a parent that ignores the signal, as many do, writing fails instead.
        for (const std::string start : {"", "trap '' PIPE; "}) {
            const Result result =
                shell(start + "(" + programPath() + " " + verb + path + "; echo code $? >&2) | true");
            EXPECT_EQ(result.output.find("terminate"), std::string::npos) << verb << result.output;
            EXPECT_EQ(result.output.find("code 134"), std::string::npos) << verb << result.output;
            EXPECT_EQ(result.output.find("vramscope:"), std::string::npos) << verb << result.output;
        }
    }
}

TEST_F(Program, OutputThatCannotBeWrittenIsTold) {
    const Result result = shell(programPath() + " report " + busyFile() + " > /dev/full");
    EXPECT_EQ(result.code, 4) << result.output;
    EXPECT_NE(result.output.find("standard output could not be written"), std::string::npos) << result.output;
    EXPECT_EQ(shell(programPath() + " check " + busyFile() + " > /dev/full").code, 1) << "the verdict stands";
}

TEST_F(Program, AMisspeltRuleIsAUsageError) {
    const Result result = run("check " + busyFile() + " --fail-on leak.atexit");
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.output.find("Did you mean `leak.at-exit`?"), std::string::npos) << result.output;
    EXPECT_EQ(run("check " + busyFile() + " --allow nonsense").code, 2);
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
    EXPECT_EQ(run("query " + path + " 'DELETE FROM buffers'").code, 2);
    const Result two = run("query " + path + " 'SELECT 1; SELECT 2'");
    EXPECT_EQ(two.code, 2);
    EXPECT_NE(two.output.find("more than one statement"), std::string::npos) << two.output;
    EXPECT_EQ(run("query " + path + " 'SELECT 1; -- one'").code, 0);
    EXPECT_EQ(run("query " + path + " 'SELEC'").code, 2);
    const Result dump = run("dump " + path + " --table failed_calls");
    EXPECT_NE(dump.output.find("failed_calls failed_call_id=1 process_id=1"), std::string::npos)
        << dump.output;
    EXPECT_EQ(run("dump " + path).output, run("dump " + path).output);
    const Result arguments = run("dump " + path + " --table launch_arguments");
    EXPECT_NE(arguments.output.find("launch_arguments argument_set_id=1 "), std::string::npos)
        << arguments.output;
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

TEST_F(Program, AValueThatIsNoneIsExplainedInWords) {
    const std::string path = busyFile();
    for (const char* option : {"--top 0", "--top -1", "--top 1e999"}) {
        const Result top = run("report " + path + " " + option);
        EXPECT_EQ(top.code, 2);
        EXPECT_NE(top.output.find("is not a whole number from 1 on"), std::string::npos) << top.output;
        EXPECT_LT(top.output.size(), 200U) << top.output;
    }
    const Result by = run("report " + path + " --by foo");
    EXPECT_EQ(by.code, 2);
    EXPECT_NE(by.output.find("`foo` is none of kind, library, process, stack, task"), std::string::npos)
        << by.output;
    EXPECT_EQ(run("report " + path + " --by Library,kind --top 3").code, 0);
    EXPECT_EQ(run("check " + path + " --write-baseline /no/such/folder/known.txt").code, 2);
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
    std::filesystem::remove_all(alone);
    std::filesystem::create_directories(alone);
    std::filesystem::copy_file(std::getenv("VRAMSCOPE_PROGRAM"), alone / "vramscope",
                               std::filesystem::copy_options::overwrite_existing);
    setenv("VRAMSCOPE_PROGRAM", (alone / "vramscope").c_str(), 1);
    const std::string help = run("--help").output;
    EXPECT_EQ(help.find("  open "), std::string::npos) << "what is not there is not listed\n" << help;
    EXPECT_EQ(help.find("  doctor "), std::string::npos) << help;
    EXPECT_EQ(run("repot x").output.find("recover"), std::string::npos);
    EXPECT_EQ(run("report " + busyFile()).output.find("vramscope open"), std::string::npos);
    EXPECT_EQ(run("check " + busyFile()).output.find("vramscope open"), std::string::npos);
    const Result result = run("open x.vramscope");
    EXPECT_EQ(result.code, 127);
    EXPECT_NE(result.output.find("vramscope-viewer is missing beside vramscope"), std::string::npos)
        << result.output;
    // With the sibling there, it gets the verb and its arguments.
    std::ofstream(alone / "vramscope-capture") << "#!/bin/sh\necho got \"$@\"\nexit 7\n";
    std::filesystem::permissions(alone / "vramscope-capture", std::filesystem::perms::owner_all);
    EXPECT_NE(run("--help").output.find("  doctor "), std::string::npos);
    EXPECT_EQ(run("--help").output.find(" ctl "), std::string::npos);
    std::ofstream(alone / "vramscope-viewer") << "#!/bin/sh\n";
    std::filesystem::permissions(alone / "vramscope-viewer", std::filesystem::perms::owner_all);
    EXPECT_NE(run("--help").output.find("  open "), std::string::npos);
    EXPECT_NE(run("report " + busyFile()).output.find("--goto finding:"), std::string::npos);
    const Result judged = run("check " + busyFile());
    EXPECT_NE(judged.output.find("see   vramscope open " + busyFile() + " --goto finding:"),
              std::string::npos)
        << judged.output;
    const Result handed = run("run -- ./train --fast");
    EXPECT_EQ(handed.code, 7);
    EXPECT_EQ(handed.output, "got run -- ./train --fast\n");
}

/// Two tasks, the second of which writes what the first has.
std::string sharingFile(const std::string& name) {
    CaptureBuilder builder;
    const auto owner = builder.task("owner");
    builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (2, 1, 4712, 0)");
    builder.taskSpan(owner, 1, 0, 9'000 * kMs);
    builder.taskSpan(builder.task("user"), 2, 0, 9'000 * kMs);
    const auto buffer = builder.allocate({.bytes = kMiB, .allocNs = kMs, .freeNs = 900 * kMs});
    builder.owner(buffer, owner);
    builder.set(10 * kMs, buffer, 0, kMiB, 1);
    builder.set(20 * kMs, buffer, 0, 64, 2);
    const auto path = std::filesystem::path(testing::TempDir()) / name;
    std::filesystem::remove(path);
    builder.writeTo(path);
    return path.string();
}

TEST_F(Program, APolicyThatWasLearnedAllowsIt) {
    const std::string capture = sharingFile("sharing.vramscope");
    const std::string policy = (std::filesystem::path(testing::TempDir()) / "learned.toml").string();
    std::filesystem::remove(policy);
    EXPECT_EQ(run("check " + capture).code, 1);
    EXPECT_EQ(run("policy learn " + capture + " | grep -c '^..allow..$'").output, "1\n");
    const Result learned = run("policy learn " + capture + " -o " + policy);
    EXPECT_EQ(learned.code, 0) << learned.output;
    EXPECT_EQ(run("policy learn " + capture + " -o " + policy).code, 2) << "it is there already";
    EXPECT_EQ(run("policy learn -f " + capture + " -o " + policy).code, 0);
    const Result check = run("check --policy " + policy + " " + capture);
    EXPECT_EQ(check.code, 0) << check.output;
    EXPECT_NE(check.output.find("sharing allowed by learned.toml: 1 use, by 1 of 1 line"), std::string::npos)
        << check.output;
    const Result report = run("report --policy " + policy + " " + capture);
    EXPECT_NE(report.output.find("Sharing allowed by learned.toml"), std::string::npos) << report.output;
    EXPECT_NE(run("report --json --policy " + policy + " " + capture).output.find("\"used_lines\": 1"),
              std::string::npos);
    std::ofstream(policy) << "[[allow]]\nrule = \"leak\"\n";
    const Result wrong = run("check --policy " + policy + " " + capture);
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.output.find("learned.toml:2: a policy allows sharing"), std::string::npos)
        << wrong.output;
    EXPECT_EQ(run("policy").code, 2);
    EXPECT_EQ(run("policy lern " + capture).code, 2);
}

TEST_F(Program, WhatWasNotJudgedIsSaidOnStandardErrorAndAsksForMoreWhenNamed) {
    CaptureBuilder builder;
    builder.fact("record_mode", "launches");
    const std::string path = file(builder, "launches.vramscope");
    const Result plain = run("check " + path);
    EXPECT_EQ(plain.code, 0) << plain.output;
    EXPECT_NE(plain.output.find("vramscope: " + path +
                                ": ordering.* and corruption.use-after-free were not "
                                "judged: --record=launches leaves out waits, which --record=all has.\n"),
              std::string::npos)
        << plain.output;
    EXPECT_EQ(shell(programPath() + " check " + path + " 2>/dev/null").output.find("not judged"),
              std::string::npos);
    EXPECT_EQ(run("check --fail-on ordering " + path).code, 3);
    EXPECT_EQ(run("check --fail-on leak.at-exit " + path).code, 0);
    EXPECT_NE(run("check --json " + path).output.find("\"not_judged\": [\n"), std::string::npos);
}

}  // namespace
}  // namespace vramscope::tests
