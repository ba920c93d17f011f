// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collector/unwind/arch.h"

namespace vramscope::unwind {

/// Rules by return address: a fixed table, shared by all threads without locks. One entry is one 64-bit word
/// that holds the address and the rule, so a reader sees a whole entry or none. Must be a zero-initialised
/// global.
///
/// 8,192 sets of 4 ways are 256 KiB of .bss, of which only touched pages cost memory. A training job's
/// allocation stacks pass some thousands of distinct return addresses (one for each call site, not for each
/// stack), so the table stays at most half full; four ways are half a cache line, which one miss brings in.
///
/// The set and the tag together are an invertible mix of the address: equal words mean equal addresses, and
/// no entry can answer for another address.
class RuleCache {
public:
    static constexpr unsigned kSetBits = 13;
    static constexpr size_t kSets = size_t{1} << kSetBits;
    static constexpr size_t kWays = 4;

    /// The rule for `ip`, or an empty one.
    Rule find(uint64_t ip) const noexcept {
        const uint64_t mixed = mix(ip);
        const std::atomic<uint64_t>* ways = m_sets[mixed >> kTagBits].ways;
        const uint64_t tag = mixed & kTagMask;
        for (size_t way = 0; way < kWays; ++way) {
            // Relaxed: the word is complete in itself and points to nothing.
            const uint64_t word = ways[way].load(std::memory_order_relaxed);
            if (word >> Rule::kBits == tag && isCacheable(ip)) {
                return Rule::fromBits(static_cast<uint32_t>(word & kRuleMask));
            }
        }
        return {};
    }

    /// Changes with every clear(). Take it before working out a rule.
    uint32_t generation() const noexcept { return m_generation.load(std::memory_order_acquire); }

    /// Stores a rule worked out under `generation`; an entry of the set may be displaced. Takes the rule out
    /// again when the cache was cleared meanwhile, since the rule may come from a module that is gone.
    void insert(uint64_t ip, Rule rule, uint32_t generation) noexcept;

    /// Forgets everything.
    void clear() noexcept;

private:
    static constexpr unsigned kTagBits = kCodeAddressBits - kSetBits;
    static constexpr uint64_t kTagMask = (uint64_t{1} << kTagBits) - 1;
    static constexpr uint64_t kRuleMask = (uint64_t{1} << Rule::kBits) - 1;
    static_assert(kTagBits + Rule::kBits <= 64);

    struct Set {
        std::atomic<uint64_t> ways[kWays];
    };
    static_assert(std::atomic<uint64_t>::is_always_lock_free && sizeof(Set) == 8 * kWays);

    static bool isCacheable(uint64_t ip) noexcept { return ip >> kCodeAddressBits == 0; }

    /// Odd factors have an inverse modulo a power of two, so this loses nothing; the high bits choose the
    /// set.
    static uint64_t mix(uint64_t ip) noexcept {
        return ip * 0x9e3779b97f4a7c15 & ((uint64_t{1} << kCodeAddressBits) - 1);
    }

    alignas(64) Set m_sets[kSets];
    std::atomic<uint32_t> m_generation;
    std::atomic<uint32_t> m_victim;
};

}  // namespace vramscope::unwind
