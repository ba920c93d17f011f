// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_ranges.h"

#include <atomic>

namespace vramscope::collector::nvtx {

namespace {

// By domain number. Small, because the room for thread-local storage of libraries that are loaded late is.
constexpr std::size_t kTrackedDomains = 32;
thread_local std::uint16_t t_levels[kTrackedDomains];
thread_local std::uint32_t t_lostPushes[kTrackedDomains];  // a bit a level

std::uint32_t bitOf(int level) {
    return level >= 0 && level < 32 ? std::uint32_t{1} << level : 0;
}

std::atomic<RangeId> g_lastRangeId{0};

}  // namespace

int enterLevel(const Name* domain) {
    const std::uint64_t number = numberOf(domain);
    if (number >= kTrackedDomains) return kNoTracking;
    std::uint16_t& level = t_levels[number];
    return level < 0xFFFF ? level++ : level;
}

int leaveLevel(const Name* domain) {
    const std::uint64_t number = numberOf(domain);
    if (number >= kTrackedDomains) return kNoTracking;
    std::uint16_t& level = t_levels[number];
    return level > 0 ? --level : -1;
}

void notePush(const Name* domain, int level, bool isLost) {
    if (level < 0) return;
    std::uint32_t& lost = t_lostPushes[numberOf(domain)];
    lost = isLost ? lost | bitOf(level) : lost & ~bitOf(level);
}

bool takeLostPush(const Name* domain, int level) {
    if (level < 0) return false;
    std::uint32_t& lost = t_lostPushes[numberOf(domain)];
    const bool isLost = (lost & bitOf(level)) != 0;
    lost &= ~bitOf(level);
    return isLost;
}

RangeId newRangeId() {
    return g_lastRangeId.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace vramscope::collector::nvtx
