// SPDX-License-Identifier: Apache-2.0
// Every sample, recorded on the simulated device: it must end as it does without us, the capture must say
// what the program did, and the findings and the exit code of `vramscope check` must be those of
// NAME.expected.
#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/expected_file.h"
#include "tests/support/opened_capture.h"
#include "tests/support/simulated_machine.h"

namespace vramscope::tests {
namespace {

std::vector<std::string> sampleNames() {
    std::istringstream words(VRAMSCOPE_SAMPLE_NAMES);
    std::vector<std::string> names;
    for (std::string name; words >> name;)
        names.push_back(name);
    return names;
}

/// The question behind a fact of an .expected file; empty for facts about findings.
std::string questionFor(const std::string& key) {
    const std::size_t dot = key.find('.');
    const std::string subject = key.substr(0, dot);
    const std::string kind = dot == std::string::npos ? "" : key.substr(dot + 1);
    const std::string ofKind = " FROM buffers WHERE kind = '" + kind + "'";
    const std::string kept = " AND coalesce(end_kind, 'process-ended') = 'process-ended'";
    if (subject == "buffers") return "SELECT count(*)" + ofKind;
    if (subject == "bytes") return "SELECT coalesce(sum(size_bytes), 0)" + ofKind;
    if (subject == "kept") return "SELECT count(*)" + ofKind + kept;
    if (subject == "kept_bytes") return "SELECT coalesce(sum(size_bytes), 0)" + ofKind + kept;
    if (subject == "ended") return "SELECT count(*) FROM buffers WHERE end_kind = '" + kind + "'";
    if (key == "failed_calls") return "SELECT coalesce(sum(repeat_count), 0) FROM failed_calls";
    if (key == "failed_request_bytes") return "SELECT size_bytes FROM failed_calls WHERE family = 'alloc'";
    if (key == "failed_heap_request_bytes")
        return "SELECT size_bytes FROM failed_calls WHERE family = 'heap'";
    if (key == "processes") return "SELECT count(*) FROM processes";
    if (key == "vmm_handles") return "SELECT count(*) FROM vmm_handles";
    if (key == "vmm_handles.unreleased") return "SELECT count(*) FROM vmm_handles WHERE release_ns IS NULL";
    if (key == "launches" || key == "copies") return "SELECT count(*) FROM " + key;
    return {};
}

constexpr const char* kEndQuestion =
    "SELECT end_kind || ' ' || coalesce(exit_signal, exit_code) FROM processes";

void compareFacts(const ExpectedFile& expected, OpenedCapture& capture) {
    for (const auto& [key, value] : expected.facts) {
        if (key == "end") {
            EXPECT_EQ(capture.text(kEndQuestion), value);
        } else if (const std::string question = questionFor(key); !question.empty()) {
            EXPECT_EQ(std::to_string(capture.number(question)), value) << key;
        }
    }
}

/// A finding as an .expected file writes it.
std::string lineOf(const nlohmann::json& finding) {
    std::string line;
    for (const char* key : {"rule", "confidence", "verdict", "class"}) {
        if (!line.empty()) line += ' ';
        line += finding.at(key).get<std::string>();
    }
    return line;
}

/// Facts such as "leak.growth.bytes" are about the findings of that rule, all together.
void compareFindingFacts(const ExpectedFile& expected, const nlohmann::json& findings) {
    for (const auto& [key, value] : expected.facts) {
        if (key == "end" || !questionFor(key).empty()) continue;
        const std::size_t dot = key.rfind('.');
        ASSERT_NE(dot, std::string::npos) << "a fact that nobody knows: " << key;
        std::int64_t sum = 0;
        for (const nlohmann::json& finding : findings) {
            if (finding.at("rule") == key.substr(0, dot))
                sum += finding.at(key.substr(dot + 1)).get<std::int64_t>();
        }
        EXPECT_EQ(std::to_string(sum), value) << key;
    }
}

void compareFindings(const ExpectedFile& expected, const std::string& mode, const CommandResult& check) {
    const nlohmann::json result = nlohmann::json::parse(check.out, nullptr, false);
    ASSERT_TRUE(result.is_object()) << check.describe();
    const nlohmann::json& findings = result.at("captures").at(0).at("findings");
    const std::vector<std::string>& wanted = expected.findingsOfMode.at(mode);
    std::vector<std::string> lines;
    for (const nlohmann::json& finding : findings)
        lines.push_back(lineOf(finding));
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(lines, wanted);
    compareFindingFacts(expected, findings);
    const bool fails = std::any_of(wanted.begin(), wanted.end(), [](const std::string& line) {
        return line.find(" fail ") != std::string::npos;
    });
    EXPECT_EQ(check.exitCode, fails ? 1 : 0) << check.describe();
}

/// Without line breaks and indents, which follow the width of the text.
std::string inOneLine(const std::string& text) {
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;)
        line += (line.empty() ? "" : " ") + word;
    return line;
}

void compareReport(const ExpectedFile& expected, const CommandResult& report) {
    const std::string told = inOneLine(report.out);
    for (const std::string& words : expected.says)
        EXPECT_NE(told.find(words), std::string::npos) << words << "\n" << report.out;
}

/// Without the facts: recording takes a little device memory, so a program that fills the device gets fewer
/// blocks.
std::string withoutFacts(const std::string& output) {
    std::istringstream lines(output);
    std::string rest;
    for (std::string line; std::getline(lines, line);) {
        if (line.compare(0, 5, "fact ") != 0) rest += line + '\n';
    }
    return rest;
}

/// What the launcher returns for a job that ended so: for one that a signal ended, the shell's code.
int shellCode(const CommandResult& bare) {
    return bare.signal ? 128 + *bare.signal : bare.exitCode.value_or(-1);
}

class SampleTest : public testing::TestWithParam<std::string> {};

TEST_P(SampleTest, IsRecordedAndJudgedRightly) {
    const SimulatedMachine machine;
    const std::string program = samplesFolder() / GetParam();
    const CommandResult bare = run(machine.command({program}));
    const CommandResult recorded = run(machine.recorded({"-q", "-o", "sample.vramscope"}, {program}));
    ASSERT_FALSE(bare.timedOut || recorded.timedOut);
    EXPECT_EQ(recorded.exitCode, shellCode(bare)) << bare.describe() << recorded.describe();
    EXPECT_EQ(withoutFacts(recorded.out), withoutFacts(bare.out));
    EXPECT_EQ(recorded.err, bare.err);

    ExpectedFile expected =
        ExpectedFile::read(std::filesystem::path(VRAMSCOPE_SAMPLE_SOURCES) / (GetParam() + ".expected"));
    expected.addPrintedFacts(recorded.out);
    OpenedCapture capture(machine / "sample.vramscope");
    ASSERT_TRUE(capture.isOpen());
    expected.facts.emplace("processes", "1");
    EXPECT_EQ(capture.lostCount(), 0) << capture.table("SELECT * FROM drops");
    compareFacts(expected, capture);
    compareFindings(expected, "default",
                    run(machine.command({analyzerProgram(), "check", "--json", "sample.vramscope"})));
    if (!expected.says.empty())
        compareReport(expected, run(machine.command({analyzerProgram(), "report", "sample.vramscope"})));
}

/// The samples that say what a mode must find.
std::vector<std::string> sampleNamesWith(const std::string& mode) {
    std::vector<std::string> names = sampleNames();
    std::erase_if(names, [&](const std::string& name) {
        const auto path = std::filesystem::path(VRAMSCOPE_SAMPLE_SOURCES) / (name + ".expected");
        return !ExpectedFile::read(path).findingsOfMode.contains(mode);
    });
    return names;
}

/// An option, and the lines of the .expected files that it is held to.
struct Mode {
    std::string option;
    std::string column;
};
struct SampleInMode {
    Mode mode;
    std::string sample;
};
std::vector<SampleInMode> samplesInModes() {
    std::vector<SampleInMode> all;
    for (const Mode& mode :
         {Mode{"--guard", "guard"}, Mode{"--guard-every-launch", "guard"}, Mode{"--perturb=7", "guard"},
          Mode{"--watch=all", "watch"}, Mode{"--engine=exact", "exact"}}) {
        for (const std::string& sample : sampleNamesWith(mode.column))
            all.push_back({mode, sample});
    }
    return all;
}

class ActedOnSampleTest : public testing::TestWithParam<SampleInMode> {};

TEST_P(ActedOnSampleTest, IsJudgedRightly) {
    const SimulatedMachine machine;
    const auto& [mode, sample] = GetParam();
    const std::string program = samplesFolder() / sample;
    const CommandResult bare = run(machine.command({program}));
    const CommandResult recorded =
        run(machine.recorded({"-q", mode.option, "-o", "sample.vramscope"}, {program}));
    ASSERT_FALSE(bare.timedOut || recorded.timedOut);
    EXPECT_EQ(recorded.exitCode, shellCode(bare)) << recorded.describe();
    EXPECT_EQ(withoutFacts(recorded.out), withoutFacts(bare.out));
    EXPECT_EQ(recorded.err, bare.err);
    const ExpectedFile expected =
        ExpectedFile::read(std::filesystem::path(VRAMSCOPE_SAMPLE_SOURCES) / (sample + ".expected"));
    OpenedCapture capture(machine / "sample.vramscope");
    ASSERT_TRUE(capture.isOpen());
    compareFacts(expected, capture);
    compareFindings(expected, mode.column,
                    run(machine.command({analyzerProgram(), "check", "--json", "sample.vramscope"})));
}

INSTANTIATE_TEST_SUITE_P(All, ActedOnSampleTest, testing::ValuesIn(samplesInModes()),
                         [](const testing::TestParamInfo<SampleInMode>& one) {
                             std::string name = one.param.mode.option.substr(2) + "_" + one.param.sample;
                             std::replace_if(
                                 name.begin(), name.end(), [](char c) { return c == '-' || c == '='; }, '_');
                             return name;
                         });

INSTANTIATE_TEST_SUITE_P(All, SampleTest, testing::ValuesIn(sampleNames()),
                         [](const testing::TestParamInfo<std::string>& sample) { return sample.param; });

}  // namespace
}  // namespace vramscope::tests
