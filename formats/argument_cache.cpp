// SPDX-License-Identifier: Apache-2.0
#include "formats/argument_cache.h"

#include "formats/distinct_index.h"

namespace vramscope::formats {

std::uint64_t ArgumentCache::fingerprintOf(std::span<const LaunchArgument> arguments) {
    std::uint64_t hash = arguments.size();
    for (const LaunchArgument& argument : arguments) {
        hash = addToHash(hash, argument.offset);
        // Parameter offsets have 16 bits; above them, ids of buffers stay apart.
        hash =
            addToHash(hash, static_cast<std::uint64_t>(argument.bufferId) << 16 ^ argument.parameterOffset);
    }
    return finishHash(hash);
}

std::int64_t ArgumentCache::findOrAdd(std::uint64_t fingerprint, std::int64_t newId, std::int64_t oldestId) {
    auto& entries = m_buckets[fingerprint & (m_buckets.size() - 1)].entries;
    std::size_t at = 0;
    while (at < kWays - 1 && entries[at].fingerprint != fingerprint)
        ++at;
    const Entry found = entries[at];
    const bool isKnown = found.fingerprint == fingerprint && found.id != 0 && found.id >= oldestId;
    for (; at > 0; --at)
        entries[at] = entries[at - 1];
    entries[0] = {fingerprint, isKnown ? found.id : newId};
    return entries[0].id;
}

}  // namespace vramscope::formats
