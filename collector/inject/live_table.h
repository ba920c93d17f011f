// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace vramscope::collector {

/// One live buffer.
struct LiveRange {
    std::uint64_t begin;
    std::uint64_t sizeBytes;
    std::uint64_t addedTicks;
};

/// The live memory of this process by address, for options that need it inside the job. Not thread-safe: its
/// user locks. Holds up to kMostRanges and counts what did not fit.
class LiveTable {
public:
    static constexpr std::size_t kMostRanges = std::size_t{1} << 20;

    /// Maps its memory; false when there is none.
    bool start();

    /// Adds a range. Others that it overlaps have ended unseen and go.
    void add(const LiveRange& range);
    /// Takes out the ranges that begin within [begin, end) and were added before `ticks`.
    void remove(std::uint64_t begin, std::uint64_t end, std::uint64_t ticks);

    const LiveRange* begin() const { return m_ranges; }
    const LiveRange* end() const { return m_ranges + m_count; }
    std::size_t count() const { return m_count; }
    /// Changes whenever the table does.
    std::uint64_t version() const { return m_version; }
    std::uint64_t lostRanges() const { return m_lost; }

private:
    std::size_t firstEndingBehind(std::uint64_t address) const;
    void erase(std::size_t first, std::size_t last);

    LiveRange* m_ranges = nullptr;  ///< sorted, without overlaps
    std::size_t m_count = 0;
    std::uint64_t m_version = 1;
    std::uint64_t m_lost = 0;
};

}  // namespace vramscope::collector
