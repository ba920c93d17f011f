// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "gui/session/buffer_store.h"

namespace vramscope::gui {

/// The buffers of a store by address, worked out once: what is live at a moment then comes in order without
/// being sorted, some tens of times a second. What is asked of all of them lies here in that order, too,
/// since in the store it would be found all over memory. Immutable; any thread may read it.
class AddressOrder {
public:
    AddressOrder() = default;
    /// Not whole when cancelled.
    AddressOrder(const BufferStore& store, const Cancel& cancel);

    /// Places, ascending, of the buffers of the same store that live at a moment and for whose rows
    /// `isWanted` holds. Empty when cancelled.
    template <typename IsWanted>
    std::vector<std::uint32_t> liveAt(const BufferStore& store, std::int64_t timeNs, IsWanted isWanted,
                                      const Cancel& cancel) const;
    Row rowAt(std::uint32_t place) const { return m_rows[place]; }
    std::int64_t bytesAt(std::uint32_t place) const { return m_sizeBytes[place]; }
    /// The number of its traits.
    std::uint32_t traitsAt(std::uint32_t place) const { return m_traits[place]; }

private:
    /// Rows from here on begin later than the moment.
    Row endOf(const BufferStore& store, std::int64_t timeNs) const;

    std::vector<Row> m_rows;
    SizeColumn m_sizeBytes;
    std::vector<std::uint32_t> m_traits;
    std::vector<std::uint32_t> m_places;  ///< of each row
    bool m_isByTime = false;              ///< buffers lie in order of allocation, as recorders write them
};

template <typename IsWanted>
std::vector<std::uint32_t> AddressOrder::liveAt(const BufferStore& store, std::int64_t timeNs,
                                                IsWanted isWanted, const Cancel& cancel) const {
    constexpr Row kRowsBetweenChecks = 1 << 20;
    const Row end = endOf(store, timeNs);
    // A bit for each place: reading the bits puts what lives into order.
    std::vector<std::uint64_t> bits((m_rows.size() + 63) / 64);
    std::size_t count = 0;
    for (Row row = 0; row < end; ++row) {
        if (row % kRowsBetweenChecks == 0 && cancel.isRequested()) return {};
        if (store.freeNs[row] <= timeNs || store.allocNs[row] > timeNs || !isWanted(row)) continue;
        const std::uint32_t place = m_places[row];
        bits[place / 64] |= std::uint64_t{1} << place % 64;
        ++count;
    }
    std::vector<std::uint32_t> live;
    live.reserve(count);
    for (std::size_t word = 0; word < bits.size(); ++word) {
        for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1)
            live.push_back(
                static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
    }
    return live;
}

}  // namespace vramscope::gui
