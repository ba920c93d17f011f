// SPDX-License-Identifier: Apache-2.0
#include "tests/support/expected_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace vramscope::tests {
namespace {

constexpr std::array kModes{"default", "guard", "watch", "exact"};

bool isMode(const std::string& key) {
    return std::find(kModes.begin(), kModes.end(), key) != kModes.end();
}

/// What tools/judge_samples.py reads; these tests run on the simulated device.
bool isForARealGpu(const std::string& key) {
    return key == "default.gpu" || key == "default.runtime" || key == "exact.gpu";
}

std::size_t wordCount(const std::string& text) {
    std::istringstream words(text);
    std::size_t count = 0;
    for (std::string word; words >> word;)
        ++count;
    return count;
}

}  // namespace

ExpectedFile ExpectedFile::read(const std::filesystem::path& path) {
    ExpectedFile expected;
    std::ifstream file(path);
    EXPECT_TRUE(file) << path;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos) {
            ADD_FAILURE() << path << ": no 'key: value': " << line;
            continue;
        }
        const std::string key = line.substr(0, colon);
        const std::string value = line.substr(colon + 2);
        if (isForARealGpu(key)) continue;
        if (key == "says") {
            expected.says.push_back(value);
            continue;
        }
        if (!isMode(key)) {
            expected.facts[key] = value;
            continue;
        }
        std::vector<std::string>& findings = expected.findingsOfMode[key];
        if (value == "nothing") continue;
        EXPECT_EQ(wordCount(value), 4U) << path << ": not RULE CONFIDENCE GATE CLASS: " << line;
        findings.push_back(value);
    }
    for (auto& [mode, findings] : expected.findingsOfMode)
        std::sort(findings.begin(), findings.end());
    EXPECT_TRUE(expected.findingsOfMode.contains("default"))
        << path << ": says nothing about the default mode";
    return expected;
}

void ExpectedFile::addPrintedFacts(const std::string& output) {
    std::istringstream lines(output);
    const std::string start = "fact ";
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        if (line.compare(0, start.size(), start) != 0 || colon == std::string::npos) continue;
        facts[line.substr(start.size(), colon - start.size())] = line.substr(colon + 2);
    }
}

}  // namespace vramscope::tests
