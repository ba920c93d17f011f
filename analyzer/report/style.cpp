// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/style.h"

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

std::string spread(std::string_view left, std::string_view right) {
    const std::size_t used = left.size() + right.size();
    const std::size_t gap = used + 2 < kPageWidth ? kPageWidth - used : 2;
    return fmt::format("{}{}{}", left, std::string(gap, ' '), right);
}

}  // namespace vramscope::report
