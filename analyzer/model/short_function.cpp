// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "analyzer/model/stack_text.h"

namespace vramscope::model {
namespace {

constexpr std::size_t kLongestWhole = 44;
constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool beginsOperator(std::string_view text) {
    return text.starts_with("operator") && text.find_first_of(" <(") != std::string_view::npos;
}

/// Up to the parameters, with what stands between < and > replaced. Operators keep their name as it is.
std::string withoutParameters(std::string_view function) {
    std::string text;
    int depth = 0;
    for (std::size_t i = 0; i < function.size(); ++i) {
        const std::string_view rest = function.substr(i);
        if (depth == 0 && beginsOperator(rest)) {
            const std::size_t end = rest.find('(', rest.starts_with("operator()") ? 10 : 8);
            return text.append(rest.substr(0, end));
        }
        if (depth == 0 && rest.starts_with(kAnonymous)) {
            i += kAnonymous.size() - 1;
            // Its "::" goes with it.
            if (function.substr(i + 1).starts_with("::")) i += 2;
            continue;
        }
        const char c = function[i];
        // A script's "<module>" and "step.<locals>.f" are names.
        if (c == '<' && depth == 0 && (text.empty() || text.back() == '.')) {
            const std::size_t end = std::min(rest.find('>'), rest.size() - 1);
            text += rest.substr(0, end + 1);
            i += end;
            continue;
        }
        if (c == '<' && depth++ == 0) text += "<...>";
        if (depth == 0 && (c == '(' || c == '[') && !text.empty()) break;
        if (depth == 0) text += c;
        if (c == '>' && depth > 0) --depth;
    }
    return text;
}

}  // namespace

std::string shortFunction(std::string_view function) {
    std::string text = withoutParameters(function);
    while (!text.empty() && text.back() == ' ')
        text.pop_back();
    if (text.empty()) return std::string(function);
    const bool isOperator = text.find("operator") != std::string::npos;
    // A result type stands before the name: "void fill<...>".
    if (const std::size_t space = text.rfind(' '); space != std::string::npos && !isOperator)
        text.erase(0, space + 1);
    if (text.size() <= kLongestWhole) return text;
    const std::size_t last = text.rfind("::");
    if (last == std::string::npos || last == 0) return text;
    const std::size_t before = text.rfind("::", last - 1);
    return before == std::string::npos ? text : text.substr(before + 2);
}

}  // namespace vramscope::model
