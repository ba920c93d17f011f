// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collector/unwind/module_finder.h"

namespace vramscope::unwind {

/// Notices that a module whose rules may be cached has been unloaded, without locks and without being told.
///
/// A stale rule can only be used at an address where something new has been mapped. So each time a module is
/// met for the first time, or met with other contents, all modules met before are looked up again; if one is
/// gone or changed, whatever was derived from modules must be dropped. While no new module is met nothing is
/// paid but one probe for each rule that is worked out. Must be a zero-initialised global.
class ModuleRegistry {
public:
    /// Records the module that a rule is about to be worked out for. True when derived rules must be dropped;
    /// the registry has then forgotten all other modules.
    bool recordAndCheck(const ModuleRange& module) noexcept;

    void clear() noexcept;

private:
    static constexpr unsigned kSlotBits = 11;
    static constexpr size_t kSlots = size_t{1} << kSlotBits;
    static constexpr size_t kMaxModules = kSlots * 3 / 4;

    /// The word of `module`'s start address; 0 when it has not been met.
    uint64_t find(uint64_t start) const noexcept;
    /// False when the table is full.
    bool add(uint64_t word) noexcept;
    bool areAllPresent() const noexcept;

    // One word: the page number of the module's start in the high bits, a digest of its identity in the low
    // ones.
    std::atomic<uint64_t> m_slots[kSlots];
    std::atomic<uint32_t> m_count;
};

}  // namespace vramscope::unwind
