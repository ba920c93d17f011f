// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace vramscope::collector {

/// Remembers which 2 MiB pages of the address space ever held memory that CUDA knows, to tell pointer
/// arguments of a launch from numbers. One byte a page over 48 bits of address space: 128 MiB reserved, a 4
/// KiB page of it touched for each 8 GiB of addresses in use. Pages are never forgotten: a launch that is
/// given a dead buffer is what we want to see.
class AddressFilter {
public:
    static constexpr unsigned kPageBits = 21;
    static constexpr unsigned kAddressBits = 48;

    /// Marks [address, address + sizeBytes). Any thread; marking the same page twice is harmless.
    void add(std::uint64_t address, std::uint64_t sizeBytes);

    /// What mayPoint() reads, for who asks about many words: a moment's state.
    struct View {
        std::uint64_t lowest;
        const std::atomic<std::uint8_t>* pages;

        /// Whether `word` lies in a marked page. Hot path. Structures passed by value bring hundreds of small
        /// numbers and floats, which the first comparison turns away without a load.
        bool mayPoint(std::uint64_t word) const {
            constexpr std::uint64_t kEnd = std::uint64_t{1} << kAddressBits;
            return word - lowest < kEnd - lowest &&
                   pages[word >> kPageBits].load(std::memory_order_relaxed) != 0;
        }

        /// The same, 1 or 0, with a load for every word: page 0 is never marked, and stands for what is out
        /// of range.
        std::size_t mayPointBranchless(std::uint64_t word) const {
            constexpr std::uint64_t kEnd = std::uint64_t{1} << kAddressBits;
            std::uint64_t page = word >> kPageBits;
            if (word - lowest >= kEnd - lowest) page = 0;
            return pages[page].load(std::memory_order_relaxed);
        }
    };
    View view() const { return {m_lowest.load(std::memory_order_relaxed), m_pages}; }

    bool mayPoint(std::uint64_t word) const { return view().mayPoint(word); }

private:
    friend bool prepareAddressFilter();
    std::atomic<std::uint8_t>* m_pages = nullptr;
    std::atomic<std::uint64_t> m_lowest{0};  ///< start of the first marked page, once prepared
};

/// Reserves the table. False when the address space is too limited for it.
bool prepareAddressFilter();

}  // namespace vramscope::collector
