// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_ranges.h"

#include <atomic>

namespace vramscope::collector::nvtx {

namespace {

// By domain number. Small, because the room for thread-local storage of libraries that are loaded late is.
constexpr std::size_t kTrackedDomains = 32;
thread_local std::uint16_t t_levels[kTrackedDomains];

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

RangeId newRangeId() {
    return g_lastRangeId.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace vramscope::collector::nvtx
