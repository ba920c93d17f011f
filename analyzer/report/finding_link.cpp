// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/finding_link.h"

#include <fmt/format.h>

#include "analyzer/report/style.h"

namespace vramscope::report {
namespace {

std::string shellWord(const std::string& word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
    if (!word.empty() && word.front() != '-' && word.find_first_not_of(kPlain) == std::string::npos)
        return word;
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

}  // namespace

std::string openCommand(const std::filesystem::path& capture, const detectors::Finding& finding) {
    return fmt::format("vramscope open {} --goto finding:{}", printable(shellWord(capture.string())),
                       finding.fingerprint);
}

}  // namespace vramscope::report
