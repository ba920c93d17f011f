// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vramscope::formats {

/// One step of a hash over several numbers; finishHash() comes last.
constexpr std::uint64_t addToHash(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E37'79B9'7F4A'7C15;
    return hash ^ hash >> 32;
}
constexpr std::uint64_t finishHash(std::uint64_t hash) {
    hash = (hash ^ hash >> 29) * 0xBF58'476D'1CE4'E5B9;
    return hash ^ hash >> 32;
}

/// Numbers the distinct things of a list 0, 1, 2 ... in the order they first appear. Knows hashes only; what
/// the things are stays with the caller.
class DistinctIndex {
public:
    /// Forgets all. `mostThings` bounds how many find() may add until the next reset().
    void reset(std::size_t mostThings) {
        m_slots.assign(std::bit_ceil(2 * std::max<std::size_t>(mostThings, 8)), Slot{});
        m_size = 0;
    }
    /// The number of the thing with `hash`, for which `isThing(number)` is true; a new number if there is
    /// none.
    template <typename IsThing>
    std::uint32_t find(std::uint64_t hash, IsThing&& isThing) {
        const std::size_t mask = m_slots.size() - 1;
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
            Slot& slot = m_slots[at];
            if (slot.numberPlusOne == 0) {
                slot = {tag, ++m_size};
                return m_size - 1;
            }
            if (slot.tag == tag && isThing(slot.numberPlusOne - 1)) return slot.numberPlusOne - 1;
        }
    }
    std::uint32_t size() const { return m_size; }

private:
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t numberPlusOne = 0;
    };
    std::vector<Slot> m_slots;
    std::uint32_t m_size = 0;
};

}  // namespace vramscope::formats
