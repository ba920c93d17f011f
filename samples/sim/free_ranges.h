// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace vramscope::sim {

/// Free parts of one address range, given out lowest first, so that what was just freed comes back at once,
/// as the driver does it. Not thread-safe.
class FreeRanges {
public:
    FreeRanges() = default;
    FreeRanges(uint64_t start, uint64_t size) { give(start, size); }

    /// Takes `size` bytes at a multiple of `alignment` (a power of two); nothing when no free part is long
    /// enough.
    std::optional<uint64_t> take(uint64_t size, uint64_t alignment);
    /// Takes exactly [start, start + size); false when part of it is not free.
    bool takeAt(uint64_t start, uint64_t size);
    /// Gives a range back; it must not overlap what is free already.
    void give(uint64_t start, uint64_t size);

    uint64_t freeBytes() const { return m_freeBytes; }
    uint64_t largest() const;

private:
    void cut(std::map<uint64_t, uint64_t>::iterator part, uint64_t start, uint64_t size);

    std::map<uint64_t, uint64_t> m_sizeByStart;
    uint64_t m_freeBytes = 0;
};

}  // namespace vramscope::sim
