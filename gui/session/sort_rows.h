// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gui/session/job_slot.h"
#include "gui/session/store_columns.h"

namespace vramscope::gui {

/// Sorts rows by a key, those with one key by their numbers. Keys of all rows would take more room than the
/// rows, so they are asked for again instead: rows are dealt into parts by the first bits in which their keys
/// differ, and each part is sorted as it fits into the processor's cache. `KeyOf` gives a std::uint64_t for a
/// row.
template <typename KeyOf>
class RowSorter {
public:
    RowSorter(KeyOf keyOf, const Cancel& cancel) : m_keyOf(keyOf), m_cancel(cancel) {}

    /// `rows` come in order of their numbers; `scratch` is as large. What is left of a cancelled call is of
    /// no use.
    void sort(std::span<Row> rows, std::span<Row> scratch) {
        if (m_cancel.isRequested()) return;
        if (rows.size() <= kFewRows) return sortFew(rows);
        std::uint64_t least = ~std::uint64_t{0};
        std::uint64_t most = 0;
        for (const Row row : rows) {
            const std::uint64_t key = m_keyOf(row);
            least = std::min(least, key);
            most = std::max(most, key);
        }
        if (least == most) return;
        const int width = std::bit_width(most - least);
        const int shift = std::max(width - kPartBits, 0);
        const auto partOf = [&](Row row) {
            return static_cast<std::size_t>((m_keyOf(row) - least) >> shift);
        };
        std::vector<std::size_t> ends(std::size_t{1} << kPartBits);
        for (const Row row : rows)
            ++ends[partOf(row)];
        std::size_t sum = 0;
        for (std::size_t& end : ends)
            end = sum += end;
        for (std::size_t i = rows.size(); i-- > 0;)
            scratch[--ends[partOf(rows[i])]] = rows[i];
        std::copy(scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(rows.size()), rows.begin());
        // Ends have become beginnings.
        for (std::size_t part = 0; part < ends.size() && shift > 0; ++part) {
            const std::size_t end = part + 1 < ends.size() ? ends[part + 1] : rows.size();
            const std::size_t count = end - ends[part];
            if (count > 1) sort(rows.subspan(ends[part], count), scratch.subspan(ends[part], count));
        }
    }

private:
    static constexpr std::size_t kFewRows = 8192;
    static constexpr int kPartBits = 11;

    struct Keyed {
        std::uint64_t key;
        Row row;
        bool operator<(const Keyed& other) const {
            return key != other.key ? key < other.key : row < other.row;
        }
    };

    void sortFew(std::span<Row> rows) {
        m_few.clear();
        for (const Row row : rows)
            m_few.push_back({m_keyOf(row), row});
        if (std::is_sorted(m_few.begin(), m_few.end())) return;
        std::sort(m_few.begin(), m_few.end());
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i] = m_few[i].row;
    }

    KeyOf m_keyOf;
    const Cancel& m_cancel;
    std::vector<Keyed> m_few;
};

}  // namespace vramscope::gui
