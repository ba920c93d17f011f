// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "gui/session/buffer_store.h"

namespace vramscope::gui {

/// The buffers of a store by address, worked out once: what is live at a moment then comes in order without
/// being sorted, some hundred times a second. Immutable; any thread may read it.
class AddressOrder {
public:
    AddressOrder() = default;
    /// Not whole when cancelled.
    AddressOrder(const BufferStore& store, const Cancel& cancel);

    /// Buffers of the same store that live at a moment and for which `isWanted` holds, by address. Empty when
    /// cancelled.
    template <typename IsWanted>
    std::vector<Row> liveAt(const BufferStore& store, std::int64_t timeNs, IsWanted isWanted,
                            const Cancel& cancel) const;

private:
    /// Rows from here on begin later than the moment.
    Row endOf(const BufferStore& store, std::int64_t timeNs) const;

    std::vector<Row> m_rows;    ///< by address
    std::vector<Row> m_places;  ///< of each row in m_rows
    bool m_isByTime = false;    ///< buffers lie in order of allocation, as recorders write them
};

template <typename IsWanted>
std::vector<Row> AddressOrder::liveAt(const BufferStore& store, std::int64_t timeNs, IsWanted isWanted,
                                      const Cancel& cancel) const {
    constexpr Row kRowsBetweenChecks = 1 << 20;
    const Row end = endOf(store, timeNs);
    // A bit for each place in the order of addresses; reading the bits puts what lives into that order.
    std::vector<std::uint64_t> bits((m_rows.size() + 63) / 64);
    std::size_t count = 0;
    for (Row row = 0; row < end; ++row) {
        if (row % kRowsBetweenChecks == 0 && cancel.isRequested()) return {};
        if (store.freeNs[row] <= timeNs || store.allocNs[row] > timeNs || !isWanted(row)) continue;
        const Row place = m_places[row];
        bits[place / 64] |= std::uint64_t{1} << place % 64;
        ++count;
    }
    std::vector<Row> live;
    live.reserve(count);
    for (std::size_t word = 0; word < bits.size(); ++word) {
        for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1)
            live.push_back(m_rows[word * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
    }
    return live;
}

}  // namespace vramscope::gui
