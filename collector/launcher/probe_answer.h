// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vramscope::collector {

/// What a child of askInChild() found, as lines "KEY VALUE": enough for facts of which nothing is known
/// beforehand.
class ProbeAnswer {
public:
    ProbeAnswer() = default;
    explicit ProbeAnswer(std::string text) : m_text(std::move(text)) {}

    void add(std::string_view key, std::string_view value) {
        m_text.append(key).append(1, ' ').append(value).append(1, '\n');
    }
    const std::string& text() const { return m_text; }

    /// The first value of `key`; empty if there is none.
    std::string first(std::string_view key) const {
        const std::vector<std::string> values = all(key);
        return !values.empty() ? values.front() : std::string();
    }
    std::vector<std::string> all(std::string_view key) const {
        std::vector<std::string> values;
        for (std::size_t at = 0; at < m_text.size();) {
            const std::size_t end = m_text.find('\n', at);
            const std::string_view line(m_text.data() + at,
                                        (end != std::string::npos ? end : m_text.size()) - at);
            if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ' ') {
                values.emplace_back(line.substr(key.size() + 1));
            }
            at += line.size() + 1;
        }
        return values;
    }

private:
    std::string m_text;
};

}  // namespace vramscope::collector
