// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

namespace vramscope::model {

/// Owns each distinct string once. Views stay valid as long as the pool, also when the pool is moved.
class StringPool {
public:
    /// The pool's copy of `text`, shortened to kLongestText bytes: texts come from a stranger's file.
    std::string_view intern(std::string_view text) {
        return *m_strings.emplace(text.substr(0, kLongestText)).first;
    }

    static constexpr std::size_t kLongestText = 4096;

private:
    std::unordered_set<std::string> m_strings;  // node based: a string never moves
};

}  // namespace vramscope::model
