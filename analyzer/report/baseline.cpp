// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/baseline.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

#include "analyzer/model/stack_text.h"
#include "analyzer/report/style.h"

namespace vramscope::report {
StatusOr<Baseline> Baseline::load(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) {
        return Status(ErrorKind::Usage, fmt::format("{}: cannot be read. Make it with --write-baseline {}.",
                                                    path.string(), path.string()));
    }
    Baseline baseline;
    baseline.m_isLoaded = true;
    baseline.m_name = path.filename().string();
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
        line.resize(std::min(line.find('#'), line.size()));
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos) continue;
        const std::string word = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
        if (!detectors::isFingerprint(word)) {
            return Status(
                ErrorKind::Usage,
                fmt::format("{}: line {} is no fingerprint: it must be 16 hexadecimal digits, and a "
                            "comment after # if you like.",
                            path.string(), number));
        }
        baseline.m_lines.emplace(word, number);
    }
    return baseline;
}

std::optional<std::size_t> Baseline::lineOf(const std::string& fingerprint) const {
    const auto at = m_lines.find(fingerprint);
    return at == m_lines.end() ? std::nullopt : std::optional(at->second);
}

std::string baselineText(const model::Capture& capture,
                         const std::vector<const detectors::Finding*>& findings) {
    std::string text =
        "# Findings that are known. One fingerprint a line; delete a line to have it fail again.\n";
    for (const detectors::Finding* finding : findings) {
        const model::StackId stack =
            finding->stacks.empty() ? model::StackId() : finding->stacks.front().stack;
        text += fmt::format("{}  # {}  {}  {}\n", finding->fingerprint, finding->rule,
                            printable(finding->headline), printable(shortPlace(capture, stack)));
    }
    return text;
}

}  // namespace vramscope::report
