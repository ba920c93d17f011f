// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda.h>

#include "collector/device/exact_layout.h"
#include "collector/inject/piece_table.h"
#include "collector/inject/sanitizer_abi.h"

namespace vramscope::collector {

/// Where a launch goes, as the engine tells it.
struct MarkStream {
    sanitizer::Stream handle;
    CUstream stream;
};

/// Places for launches of one stream, one after another, with what their patches read. All of it is written
/// in the stream's own order, so no stream waits for another.
struct MarkChunk {
    static constexpr std::uint32_t kMostLaunches = 64;

    MarkStream stream;
    PieceTable* table;
    const device::ExactPage* pages;  ///< in device memory, as the two below
    const device::ExactPiece* pieces;
    char* marks;
    device::ExactLaunch* launches;
    std::uint32_t stripes;
    std::uint32_t capacity;  ///< launches
    std::uint32_t used;      ///< of them
    std::uint32_t read;      ///< of the used ones
    std::uint64_t numbers[kMostLaunches];

    std::size_t launchBytes() const;
};

/// The marks of one launch, read.
struct LaunchMarks {
    std::uint64_t number;
    const PieceTable& table;
    const device::ExactMarks* marks;  ///< of piece i and stripe s at i * stripes + s
    std::uint32_t stripes;
    const device::ExactOutside* outside;  ///< of reads and of writes
};

/// Device memory for marks, given out from front to back and all at once taken back when everything in it was
/// read. Not thread-safe: its user locks. Calls the Compute Sanitizer API only.
class MarkRing {
public:
    static constexpr std::size_t kBytes = std::size_t{64} << 20;
    static constexpr std::uint32_t kMostChunks = 1024;
    static constexpr std::uint32_t kMostTables = 16;

    /// Allocates in `context`; false if there is no memory.
    bool start(CUcontext context);

    /// User data for a launch in `stream`; null when there is no room before readAll() and reset().
    const device::ExactLaunch* place(std::uint64_t number, MarkStream stream, const LiveTable& live,
                                     std::uint32_t wantedStripes);

    /// Gives the marks of launches with numbers below `limit` to `take`, those in streams that `wants`
    /// accepts. Waits for these streams. False if the driver did not hand the marks out.
    template <typename Wants, typename Take>
    bool read(std::uint64_t limit, Wants wants, Take take);

    /// Takes all room back if nothing is unread.
    void reset();
    bool hasUnread() const;

private:
    MarkChunk* chunkFor(MarkStream stream, const LiveTable& live, std::uint32_t wantedStripes);
    MarkChunk* openChunk(MarkStream stream, PieceTable& table, std::uint32_t stripes);
    PieceTable* tableOf(const LiveTable& live);
    char* take(std::size_t bytes);
    bool fetch(const MarkChunk& chunk, std::uint32_t end);

    char* m_memory = nullptr;   ///< device
    char* m_fetched = nullptr;  ///< host, as large
    std::size_t m_used = 0;
    MarkChunk* m_chunks = nullptr;
    std::uint32_t m_chunkCount = 0;
    PieceTable m_tables[kMostTables];
};

template <typename Wants, typename Take>
bool MarkRing::read(std::uint64_t limit, Wants wants, Take take) {
    bool isFine = true;
    for (std::uint32_t i = 0; i < m_chunkCount; ++i) {
        MarkChunk& chunk = m_chunks[i];
        std::uint32_t end = chunk.read;
        while (end < chunk.used && chunk.numbers[end] < limit)
            ++end;
        if (end == chunk.read || !wants(chunk.stream)) continue;
        const std::size_t bytes = chunk.launchBytes();
        const bool isThere = fetch(chunk, end);
        isFine = isFine && isThere;
        for (std::uint32_t launch = chunk.read; isThere && launch < end; ++launch) {
            const char* marks = m_fetched + (launch - chunk.read) * bytes;
            const char* outside = marks + bytes - 2 * sizeof(device::ExactOutside);
            take(LaunchMarks{chunk.numbers[launch], *chunk.table,
                             reinterpret_cast<const device::ExactMarks*>(marks), chunk.stripes,
                             reinterpret_cast<const device::ExactOutside*>(outside)});
        }
        chunk.read = end;
    }
    return isFine;
}

}  // namespace vramscope::collector
