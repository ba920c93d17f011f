// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace vramscope::report {

/// Colours for a terminal, or none. Meaning never rests on colour alone.
class Style {
public:
    Style() = default;
    explicit Style(bool isColoured) : m_isColoured(isColoured) {}

    std::string heading(std::string_view text) const { return wrap("1", text); }
    std::string bad(std::string_view text) const { return wrap("1;31", text); }
    std::string warning(std::string_view text) const { return wrap("33", text); }
    std::string quiet(std::string_view text) const { return wrap("2", text); }

private:
    std::string wrap(std::string_view code, std::string_view text) const {
        return m_isColoured ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
    }
    bool m_isColoured = false;
};

/// A report is this many columns wide.
inline constexpr std::size_t kPageWidth = 100;

/// `text` with control characters made visible: texts of a capture are a stranger's and must not steer a
/// terminal.
std::string printable(std::string_view text);

/// `text` after `indent`, broken at spaces into lines of the page's width; the lines after the first are
/// indented as deep. Ends with a newline. A word that is too long stays whole.
std::string wrapped(std::string_view indent, std::string_view text);

/// At most `most` columns of `text`, its end replaced by "..." when it is longer.
std::string cut(std::string_view text, std::size_t most);

/// `left`, and `right` at the right edge of the page.
std::string spread(std::string_view left, std::string_view right);

}  // namespace vramscope::report
