// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/recorder/buffer_row.h"

namespace vramscope::collector {

/// The live buffers that were asked for last, by 2 MiB page: one line of memory a look-up, where walking the
/// tree of live buffers takes a dozen. A launch names four pointers on average, so that would be a fifth of
/// the recorder's time.
class AddressCache {
public:
    AddressCache() : m_entries(kPlaces) {}

    /// A live buffer that holds `address`, or null when it has to be looked up.
    BufferRow* find(std::uint64_t address) const {
        const Entry& entry = m_entries[placeOf(address >> kPageBits)];
        return address - entry.begin < entry.bytes ? entry.row : nullptr;
    }

    /// `row` is live and holds `address`.
    void put(std::uint64_t address, BufferRow* row) {
        m_entries[placeOf(address >> kPageBits)] = {row->address, row->end() - row->address, row};
    }

    /// `row` lives no more. It can only be at the places of its own pages.
    void forget(const BufferRow& row) {
        const std::uint64_t first = row.address >> kPageBits;
        const std::uint64_t last = (row.end() - 1) >> kPageBits;
        if (last - first >= kPlaces) {
            m_entries.assign(kPlaces, {});
            return;
        }
        for (std::uint64_t page = first; page <= last; ++page) {
            Entry& entry = m_entries[placeOf(page)];
            if (entry.row == &row) entry = {};
        }
    }

private:
    struct alignas(32) Entry {
        std::uint64_t begin = 0;
        std::uint64_t bytes = 0;
        BufferRow* row = nullptr;
    };
    static constexpr unsigned kPageBits = 21;
    static constexpr unsigned kPlaceBits = 13;
    static constexpr std::size_t kPlaces = std::size_t{1} << kPlaceBits;

    // Allocators place their regions at round addresses, which a remainder would put on top of each other.
    static std::size_t placeOf(std::uint64_t page) {
        return static_cast<std::size_t>((page * 0x9E37'79B9'7F4A'7C15ull) >> (64 - kPlaceBits));
    }

    std::vector<Entry> m_entries;
};

}  // namespace vramscope::collector
