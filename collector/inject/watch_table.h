// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cuda.h>

#include "collector/inject/task_marks.h"

namespace vramscope::collector {

/// A live buffer that is watched or may come to be.
struct KnownBuffer {
    std::atomic<std::uint64_t> address;  ///< 0: the place is free; kTaken while it is filled in
    std::uint64_t sizeBytes;             ///< as the job asked
    std::uint64_t allocTicks;
    CUstream stream;  ///< of stream-ordered memory, that it is allocated on; else null
    bool isOrdered;
    bool isForAll;  ///< watched whoever writes it
    std::atomic<bool> isWatched;
    std::atomic<tasks::Key> owner;
    std::atomic<tasks::Key> lentTo;   ///< may write it, too; kProcess: nobody, kUnknown: everybody
    std::atomic<std::uint32_t> told;  ///< changes that were recorded
};

/// Buffers by address, and those of them that are watched as a list that each launch walks. Places are
/// claimed with atomics. A look-up walks the used part of the table, which is for allocations, frees and
/// marks.
class WatchTable {
public:
    static constexpr std::uint32_t kPlaces = 32768;
    static constexpr std::uint32_t kMostWatched = 1024;
    static constexpr std::uint64_t kTaken = 1;

    bool start();

    /// A free place, null when there is none. Its address reads kTaken until the caller stores it.
    KnownBuffer* claim();
    KnownBuffer* find(std::uint64_t address);
    /// The buffer that `address` lies in.
    KnownBuffer* holding(std::uint64_t address);
    /// Puts it on the list. False when that is full.
    bool watch(KnownBuffer& buffer);
    /// Takes it off the list and out of the table.
    void release(KnownBuffer& buffer);

    /// Calls take(buffer) for each watched one.
    template <typename Take>
    void forEachWatched(const Take& take) {
        const std::uint32_t end = m_watchedEnd.load(std::memory_order_acquire);
        for (std::uint32_t i = 0; i < end; ++i) {
            const std::uint32_t place = m_watched[i].load(std::memory_order_acquire);
            if (place != 0) take(m_buffers[place - 1]);
        }
    }
    bool hasWatched() const { return m_watchedEnd.load(std::memory_order_relaxed) != 0; }

private:
    KnownBuffer* m_buffers = nullptr;
    std::atomic<std::uint32_t> m_end{0};
    std::atomic<std::uint32_t> m_watched[kMostWatched] = {};  ///< place + 1; 0: free
    std::atomic<std::uint32_t> m_watchedEnd{0};
};

}  // namespace vramscope::collector
