// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/style.h"

#include <algorithm>

namespace vramscope::report {

std::string printable(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            safe += fmt::format("\\x{:02x}", byte);
        else
            safe += c;
    }
    return safe;
}

std::string wrapped(std::string_view indent, std::string_view text) {
    std::string lines;
    std::string line(indent);
    bool isFirstWord = true;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (!isFirstWord && line.size() + 1 + end > kPageWidth) {
            lines += line + "\n";
            line.assign(indent.size(), ' ');
            isFirstWord = true;
        }
        if (!isFirstWord) line += ' ';
        line += text.substr(0, end);
        isFirstWord = false;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines + line + "\n";
}

std::string cut(std::string_view text, std::size_t most) {
    if (text.size() <= most || most <= 3) return std::string(text);
    std::size_t end = most - 3;
    // Not in the middle of a character of several bytes.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return fmt::format("{}...", text.substr(0, end));
}

std::string spread(std::string_view left, std::string_view right) {
    const std::size_t used = left.size() + right.size();
    const std::size_t gap = used + 2 < kPageWidth ? kPageWidth - used : 2;
    return fmt::format("{}{}{}", left, std::string(gap, ' '), right);
}

}  // namespace vramscope::report
