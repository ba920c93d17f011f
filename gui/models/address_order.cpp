// SPDX-License-Identifier: Apache-2.0
#include "gui/models/address_order.h"

#include <algorithm>
#include <numeric>

#include "gui/session/sort_rows.h"

namespace vramscope::gui {

AddressOrder::AddressOrder(const BufferStore& store, const Cancel& cancel) : m_rows(store.bufferCount()) {
    const auto buffersEnd = store.allocNs.begin() + static_cast<std::ptrdiff_t>(m_rows.size());
    m_isByTime = std::is_sorted(store.allocNs.begin(), buffersEnd);
    std::iota(m_rows.begin(), m_rows.end(), Row{0});
    std::vector<Row> scratch(m_rows.size());
    RowSorter([&store](Row row) { return store.address[row]; }, cancel).sort(m_rows, scratch);
    if (cancel.isRequested()) return;
    m_places = std::move(scratch);
    m_traits.resize(m_rows.size());
    m_sizeBytes.resize(m_rows.size());
    std::vector<SizeColumn::Large> larges;
    for (std::uint32_t place = 0; place < m_rows.size(); ++place) {
        const Row row = m_rows[place];
        m_places[row] = place;
        m_traits[place] = store.traitsOf[row];
        m_sizeBytes.set(place, store.sizeBytes[row], larges);
    }
    m_sizeBytes.addLarges(larges);
}

Row AddressOrder::endOf(const BufferStore& store, std::int64_t timeNs) const {
    const auto count = static_cast<Row>(m_rows.size());
    if (!m_isByTime) return count;
    const auto begin = store.allocNs.begin();
    return static_cast<Row>(std::upper_bound(begin, begin + count, timeNs) - begin);
}

}  // namespace vramscope::gui
