// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace vramscope::model {

/// Position of a stream in the dense list that the model numbers streams by.
using StreamIndex = std::uint32_t;
inline constexpr StreamIndex kNoStream = std::numeric_limits<StreamIndex>::max();

/// How far each stream is known to have come: the n-th operation on a stream has tick n, and everything up to
/// the tick of an entry happened before the point that the clock belongs to. Streams without an entry are at
/// 0.
///
/// Some waits wait for something that no record shows: a value that a kernel writes, another process, another
/// API. Work that was issued before unknownUntilNs may be ordered by such a wait, so nothing is said about
/// it.
class PartialClock {
public:
    static constexpr std::int64_t kNothingUnknown = -1;
    /// With more entries the clock gives up, which is to call everything unknown.
    static constexpr std::size_t kMostEntries = 1024;

    std::uint64_t at(StreamIndex stream) const;
    /// The stream is known to have come at least to `tick`.
    void raise(StreamIndex stream, std::uint64_t tick);
    void join(const PartialClock& other);
    void addUnknown(std::int64_t untilNs);
    void forgetUnknown() { m_unknownUntilNs = kNothingUnknown; }
    void clear();

    std::int64_t unknownUntilNs() const { return m_unknownUntilNs; }
    bool hasUnknown() const { return m_unknownUntilNs != kNothingUnknown; }
    const std::vector<std::pair<StreamIndex, std::uint64_t>>& entries() const { return m_entries; }

    /// Drops entries that `isKnown(stream, tick)` says everybody knows anyway.
    template <typename IsKnown>
    void dropKnown(IsKnown isKnown) {
        std::erase_if(m_entries, [&](const auto& entry) { return isKnown(entry.first, entry.second); });
    }

private:
    void giveUpIfTooLarge();

    std::vector<std::pair<StreamIndex, std::uint64_t>> m_entries;  // by stream
    std::int64_t m_unknownUntilNs = kNothingUnknown;
};

}  // namespace vramscope::model
