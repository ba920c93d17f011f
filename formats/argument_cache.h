// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/argument_set.h"

namespace vramscope::formats {

/// Remembers which argument sets were stored lately, so that only what repeats is found again. Fixed memory,
/// 2 MiB: a set is its 64-bit fingerprint in a bucket of four, where the one that was used longest ago gives
/// way. Two different sets are taken for one with a chance of about one in 10^12 in ten million launches that
/// never repeat. One thread at a time.
class ArgumentCache {
public:
    static constexpr std::size_t kSets = std::size_t{1} << 17;

    ArgumentCache() : m_buckets(kSets / kWays) {}

    /// A number that stands for the set.
    static std::uint64_t fingerprintOf(std::span<const LaunchArgument> arguments);
    /// The id under which the set was stored, if that is remembered and not below `oldestId`; else remembers
    /// `newId` and returns that. Ids are positive.
    std::int64_t findOrAdd(std::uint64_t fingerprint, std::int64_t newId, std::int64_t oldestId);
    /// Makes a findOrAdd() that follows soon not wait for memory.
    void prefetch(std::uint64_t fingerprint) const {
        __builtin_prefetch(&m_buckets[fingerprint & (m_buckets.size() - 1)], 1);
    }

private:
    static constexpr std::size_t kWays = 4;
    struct Entry {
        std::uint64_t fingerprint = 0;
        std::int64_t id = 0;
    };
    struct alignas(64) Bucket {
        std::array<Entry, kWays> entries;  // latest use first
    };
    std::vector<Bucket> m_buckets;
};

}  // namespace vramscope::formats
