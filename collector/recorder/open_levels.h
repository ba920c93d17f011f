// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace vramscope::collector {

/// What a thread has pushed and not popped, by level. A push or pop that was lost spoils its own entry and no
/// other: a later record of its level or of one further out shows that it ended.
template <typename Value>
class OpenLevels {
public:
    struct Entry {
        std::int64_t level;
        Value value;
    };

    /// Ends what is open at `level` or deeper, innermost first, giving each value to `close`.
    template <typename Close>
    void closeFrom(std::int64_t level, Close close) {
        while (!m_open.empty() && m_open.back().level >= level) {
            close(m_open.back().value);
            m_open.pop_back();
        }
    }
    /// After closeFrom(level). False when there are too many: a job that pushes and never pops is wrong, but
    /// must not grow the recorder without end.
    bool push(std::int64_t level, Value value) {
        constexpr std::size_t kMost = 65'536;
        if (m_open.size() >= kMost) return false;
        m_open.push_back({level, std::move(value)});
        return true;
    }

    bool empty() const { return m_open.empty(); }
    const Value& innermost() const { return m_open.back().value; }
    const std::vector<Entry>& all() const { return m_open; }

private:
    std::vector<Entry> m_open;
};

}  // namespace vramscope::collector
