// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "collector/recorder/address_cache.h"
#include "collector/recorder/buffer_row.h"
#include "collector/recorder/generations.h"

namespace vramscope::collector {

using BufferPtr = std::shared_ptr<BufferRow>;

/// Which buffer an address belonged to at a moment. Holds the live buffers of one process and, for a while,
/// the dead ones: a call that began before a free is resolved against the buffer that lived then, though its
/// record comes later.
class AddressSpace {
public:
    /// A buffer came to life. Returns the live buffers that it overlaps, taken out of here: their end was not
    /// seen.
    std::vector<BufferPtr> insert(const BufferPtr& buffer);

    /// The live buffer that begins at `address`, or null.
    BufferPtr liveAt(std::uint64_t address) const;

    /// Live buffers that begin within [begin, end), in order of address.
    std::vector<BufferPtr> liveWithin(std::uint64_t begin, std::uint64_t end) const;

    /// Moves a live buffer to the dead ones; its freeTicks must be set. Of more than kMostDead the oldest is
    /// forgotten.
    void retire(const BufferPtr& buffer);
    /// At most 20 MiB of dead buffers, however fast a job frees.
    static constexpr std::size_t kMostDead = 65'536;
    /// Dead buffers that were forgotten for lack of room and not for their age.
    std::uint64_t forgottenEarly() const { return m_forgottenEarly; }

    /// The buffer that held `address` at `timeTicks`, dead ones included as far back as they are kept; else
    /// null.
    BufferRow* find(std::uint64_t address, std::uint64_t timeTicks);

    /// Forgets buffers that died before `timeTicks`: nothing older can still be asked for.
    void forgetDeadBefore(std::uint64_t timeTicks);

    /// The number of the next buffer that begins at `address`, from 1.
    std::uint64_t nextGeneration(std::uint64_t address) { return m_generations.next(address); }
    /// For a recorder that goes on where another left off.
    void raiseGeneration(std::uint64_t address, std::uint64_t generation) {
        m_generations.raise(address, generation);
    }

    const std::map<std::uint64_t, BufferPtr>& live() const { return m_live; }

private:
    BufferRow* liveHolding(std::uint64_t address);

    std::map<std::uint64_t, BufferPtr> m_live;  ///< by first byte; ranges do not overlap
    AddressCache m_recent;                      ///< of m_live
    std::deque<BufferPtr> m_dead;               ///< in order of death, which is nearly the order of freeTicks
    std::uint64_t m_forgottenEarly = 0;
    Generations m_generations;
};

}  // namespace vramscope::collector
