// SPDX-License-Identifier: Apache-2.0
#include "gui/session/buffer_store.h"

#include <algorithm>
#include <fmt/format.h>

namespace vramscope::gui {

std::size_t BufferStore::firstEventAt(std::int64_t timeNs) const {
    const auto at = std::lower_bound(
        events.begin(), events.end(), timeNs,
        [this](std::uint32_t event, std::int64_t time) { return timeOfEvent(event) < time; });
    return static_cast<std::size_t>(at - events.begin());
}

Row BufferStore::rowOf(model::BufferId id) const {
    if (m_ids.empty()) {
        const bool isThere = id.value >= m_firstId && id.value - m_firstId < std::int64_t{m_bufferCount};
        return isThere ? static_cast<Row>(id.value - m_firstId) : rowCount();
    }
    const auto at = std::lower_bound(m_ids.begin(), m_ids.end(), id.value);
    return at != m_ids.end() && *at == id.value ? static_cast<Row>(at - m_ids.begin()) : rowCount();
}

std::string BufferStore::nameOf(Row row) const {
    return fmt::format("b{:x}.{}", address[row], generation[row]);
}

std::size_t BufferStore::memoryBytes() const {
    constexpr std::size_t kRowBytes = 3 * 8 + 4 * 4;
    return allocNs.size() * kRowBytes + sizeBytes.memoryBytes() + events.size() * sizeof(std::uint32_t) +
           m_ids.size() * 8;
}

}  // namespace vramscope::gui
