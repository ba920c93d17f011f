// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace vramscope::collector {

/// A queue in one piece of memory, which it keeps from turn to turn: it is filled and emptied two hundred
/// times a second, and a std::deque would ask the system for memory and give it back each time.
template <typename T>
class PendingQueue {
public:
    void push_back(const T& value) {
        if (m_first > kLeast && m_first > m_values.size() / 2) dropConsumed();
        m_values.push_back(value);
    }
    bool empty() const { return m_first == m_values.size(); }
    const T& front() const { return m_values[m_first]; }
    void pop_front() {
        if (++m_first == m_values.size()) clear();
    }
    void clear() {
        m_values.clear();
        m_first = 0;
        // After a backlog as large as a ring the memory goes back.
        if (m_values.capacity() > kMostKept) m_values.shrink_to_fit();
    }
    auto begin() const { return m_values.begin() + static_cast<std::ptrdiff_t>(m_first); }
    auto end() const { return m_values.end(); }

private:
    static constexpr std::size_t kLeast = 1024;
    static constexpr std::size_t kMostKept = 65536;

    void dropConsumed() {
        m_values.erase(m_values.begin(), begin());
        m_first = 0;
    }

    std::vector<T> m_values;
    std::size_t m_first = 0;  ///< consumed so far
};

}  // namespace vramscope::collector
