// SPDX-License-Identifier: Apache-2.0
#include "gui/session/store_columns.h"

#include <algorithm>

namespace vramscope::gui {

std::uint8_t WordList::numberOf(std::string_view word) {
    const auto at = m_numbers.find(std::string(word));
    if (at != m_numbers.end()) return at->second;
    if (m_words.size() == 256) return 255;
    const auto number = static_cast<std::uint8_t>(m_words.size());
    m_words.emplace_back(word);
    m_numbers.emplace(m_words.back(), number);
    return number;
}

std::int64_t SizeColumn::large(Row row) const {
    const auto at = std::lower_bound(m_larges.begin(), m_larges.end(), row,
                                     [](const Large& large, Row wanted) { return large.first < wanted; });
    return at != m_larges.end() && at->first == row ? at->second : 0;
}

void SizeColumn::move(Row from, Row to) {
    m_bytes[to] = m_bytes[from];
    if (m_bytes[from] != kIsLarge) return;
    // The order stays: every row before this one has moved at least as little.
    const auto at = std::lower_bound(m_larges.begin(), m_larges.end(), from,
                                     [](const Large& large, Row wanted) { return large.first < wanted; });
    if (at != m_larges.end() && at->first == from) at->first = to;
}

std::size_t BufferTraits::hash() const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    const auto bits = [](auto value, unsigned shift) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(value)) << shift;
    };
    const std::uint64_t ids = bits(process, 32) | bits(task, 0);
    const std::uint64_t rest =
        bits(device, 32) ^ bits(kind, 24) ^ bits(endKind, 16) ^ bits(api, 8) ^ bits(countsAsLive, 0);
    std::uint64_t mixed = (ids ^ (rest * kOdd)) * kOdd;
    mixed ^= mixed >> 29U;
    return static_cast<std::size_t>(mixed * kOdd >> 16U);
}

std::uint32_t TraitsList::numberOf(const BufferTraits& traits) {
    const auto [at, isNew] = m_numbers.emplace(traits, static_cast<std::uint32_t>(m_traits.size()));
    if (isNew) m_traits.push_back(traits);
    return at->second;
}

}  // namespace vramscope::gui
