// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "formats/argument_cache.h"
#include "formats/argument_chunk.h"
#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::formats {

/// A launch uses no set whose number is this much or more below that of the newest set at the time. So where
/// the oldest launches are dropped, the sets this far below those that the remaining ones use can go, too.
inline constexpr std::int64_t kArgumentWindow = static_cast<std::int64_t>(ArgumentCache::kSets);

/// Stores the argument sets of launches in argument_chunks. A set that was stored lately is not stored again;
/// one that was not used for long may be, under another number. Like the chunks of events, the last one
/// grows: flush() replaces its row. Memory: ArgumentCache, and less than 4 MiB for the growing chunk, however
/// long the recording. Holds a prepared statement: must be destroyed before its connection. One thread at a
/// time.
class ArgumentWriter {
public:
    /// `connection` has the schema of a capture, perhaps with sets in it, and outlives this.
    static StatusOr<ArgumentWriter> make(Connection& connection);

    /// The number for LaunchEvent::argumentSetId; 0 for no arguments. At most kMaxLaunchArguments, in rising
    /// order of parameterOffset. Writes when a chunk is full.
    StatusOr<std::int64_t> intern(std::span<const LaunchArgument> arguments) {
        return intern(arguments, ArgumentCache::fingerprintOf(arguments));
    }
    /// The same for who has the fingerprint already, and prefetched it a little earlier.
    StatusOr<std::int64_t> intern(std::span<const LaunchArgument> arguments, std::uint64_t fingerprint);
    void prefetch(std::uint64_t fingerprint) const { m_cache.prefetch(fingerprint); }

    /// Stores everything interned so far. To be called in the transaction that is about to be committed.
    Status flush();

private:
    ArgumentWriter(Statement statement, std::int64_t firstSetId)
        : m_statement(std::move(statement)), m_firstSetId(firstSetId) {}

    Statement m_statement;
    ArgumentCache m_cache;
    ArgumentChunkEncoder m_chunk;
    std::int64_t m_firstSetId;  // of m_chunk
    bool m_isWritten = true;
};

}  // namespace vramscope::formats
