// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace vramscope::tests {

/// What a sample must lead to; samples/programs/README.md describes the file.
struct ExpectedFile {
    /// Lines "RULE CONFIDENCE GATE CLASS" of each mode, sorted; empty for "nothing".
    std::map<std::string, std::vector<std::string>> findingsOfMode;
    /// Words that a report must have in one piece, white space apart.
    std::vector<std::string> says;
    /// Facts that hold in every mode.
    std::map<std::string, std::string> facts;

    /// Reads NAME.expected. Adds a GoogleTest failure for a line that it cannot read.
    static ExpectedFile read(const std::filesystem::path& path);
    /// Adds the facts that the sample itself printed ("fact KEY: VALUE" lines of its output).
    void addPrintedFacts(const std::string& output);
};

}  // namespace vramscope::tests
