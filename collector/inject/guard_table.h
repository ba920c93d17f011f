// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "collector/device/guard_layout.h"

namespace vramscope::collector {

/// The host's side of a guard slot.
struct GuardedBuffer {
    std::atomic<std::uint64_t> address;  ///< the buffer; 0: the place is free; kTaken while it is filled in
    std::uint64_t sizeBytes;             ///< as the job asked
    std::uint64_t allocTicks;
    std::atomic<bool> isEnding;  ///< freed in stream order: its last check is on its way
};

/// Places for guards: a range for plain memory, which one kernel checks all at once, and one behind it for
/// stream-ordered memory, which is checked one by one. Places are claimed with atomics; a look-up walks the
/// used part of both ranges (2 us for 4,000 buffers), which is for allocations and frees, not for launches.
class GuardTable {
public:
    static constexpr std::uint32_t kPlaces = 32768;  ///< in each range

    /// Takes over the slots, 2 * kPlaces of them in zeroed memory that the device sees, and maps the host's
    /// side.
    bool start(device::GuardSlot* slots);

    /// A free place, or null when the range is full. Its address reads kTaken until publish().
    GuardedBuffer* claim(bool isOrdered);
    /// The place of the buffer at `address`, or null.
    GuardedBuffer* find(std::uint64_t address, bool isOrdered);
    void release(GuardedBuffer& buffer);

    device::GuardSlot& slotOf(const GuardedBuffer& buffer) { return m_slots[indexOf(buffer)]; }
    std::uint32_t indexOf(const GuardedBuffer& buffer) const {
        return static_cast<std::uint32_t>(&buffer - m_buffers);
    }
    GuardedBuffer& at(std::uint32_t index) { return m_buffers[index]; }
    device::GuardSlot* slots() { return m_slots; }
    /// Places of the plain range that were ever used: what a check must cover.
    std::uint32_t plainEnd() const { return m_ends[0].load(std::memory_order_acquire); }
    std::uint32_t orderedEnd() const { return kPlaces + m_ends[1].load(std::memory_order_acquire); }

    static constexpr std::uint64_t kTaken = 1;

private:
    device::GuardSlot* m_slots = nullptr;
    GuardedBuffer* m_buffers = nullptr;
    std::atomic<std::uint32_t> m_ends[2] = {};
};

}  // namespace vramscope::collector
