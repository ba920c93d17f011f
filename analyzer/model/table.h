// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace vramscope::model {

/// Rows of one capture table, in the order of their ids. Row needs a member `id` of type IdType.
/// Immutable once built; safe to read from any thread.
template <typename Row, typename IdType>
class Table {
public:
    Table() = default;
    explicit Table(std::vector<Row> rows) : m_rows(std::move(rows)) {
        std::sort(m_rows.begin(), m_rows.end(), [](const Row& a, const Row& b) { return a.id < b.id; });
    }

    /// The row, or nullptr when there is none. Pointers stay valid as long as the table.
    const Row* find(IdType id) const {
        if (m_rows.empty() || id.isNone()) return nullptr;
        // Ids are usually dense, so the row is usually where arithmetic says.
        const auto guess = static_cast<std::size_t>(id.value - m_rows.front().id.value);
        if (guess < m_rows.size() && m_rows[guess].id == id) return &m_rows[guess];
        const auto at = std::lower_bound(m_rows.begin(), m_rows.end(), id,
                                         [](const Row& row, IdType wanted) { return row.id < wanted; });
        return at != m_rows.end() && at->id == id ? &*at : nullptr;
    }

    const std::vector<Row>& rows() const { return m_rows; }
    std::size_t size() const { return m_rows.size(); }
    bool empty() const { return m_rows.empty(); }
    auto begin() const { return m_rows.begin(); }
    auto end() const { return m_rows.end(); }

private:
    std::vector<Row> m_rows;
};

}  // namespace vramscope::model
