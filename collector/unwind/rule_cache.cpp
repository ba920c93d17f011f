// SPDX-License-Identifier: Apache-2.0
#include "collector/unwind/rule_cache.h"

namespace vramscope::unwind {

void RuleCache::insert(uint64_t ip, Rule rule, uint32_t generation) noexcept {
    if (!isCacheable(ip) || rule.isEmpty()) return;
    const uint64_t mixed = mix(ip);
    const uint64_t word = (mixed & kTagMask) << Rule::kBits | rule.bits();
    std::atomic<uint64_t>* ways = m_sets[mixed >> kTagBits].ways;

    size_t chosen = kWays;
    for (size_t way = 0; way < kWays && chosen == kWays; ++way) {
        const uint64_t present = ways[way].load(std::memory_order_relaxed);
        // A word of the same address is replaced, so that no address is ever there twice for long.
        if (present == 0 || present >> Rule::kBits == word >> Rule::kBits) chosen = way;
    }
    if (chosen == kWays) chosen = m_victim.fetch_add(1, std::memory_order_relaxed) % kWays;
    ways[chosen].store(word);

    if (m_generation.load() != generation) {
        uint64_t expected = word;
        ways[chosen].compare_exchange_strong(expected, 0);
    }
}

void RuleCache::clear() noexcept {
    // First the generation, then the words: a rule inserted in between is either wiped here or withdrawn by
    // insert.
    m_generation.fetch_add(1);
    for (Set& set : m_sets) {
        for (std::atomic<uint64_t>& way : set.ways)
            way.store(0, std::memory_order_relaxed);
    }
}

}  // namespace vramscope::unwind
