// SPDX-License-Identifier: Apache-2.0
#pragma once

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

    std::vector<Row> m_rows;
    bool m_isByTime = false;  ///< buffers lie in order of allocation, as recorders write them
};

template <typename IsWanted>
std::vector<Row> AddressOrder::liveAt(const BufferStore& store, std::int64_t timeNs, IsWanted isWanted,
                                      const Cancel& cancel) const {
    constexpr Row kRowsBetweenChecks = 1 << 20;
    const Row end = endOf(store, timeNs);
    std::vector<bool> isLive(m_rows.size());
    std::size_t count = 0;
    for (Row row = 0; row < end; ++row) {
        if (row % kRowsBetweenChecks == 0 && cancel.isRequested()) return {};
        if (store.freeNs[row] <= timeNs || store.allocNs[row] > timeNs || !isWanted(row)) continue;
        isLive[row] = true;
        ++count;
    }
    std::vector<Row> live;
    live.reserve(count);
    for (const Row row : m_rows) {
        if (isLive[row]) live.push_back(row);
    }
    return live;
}

}  // namespace vramscope::gui
