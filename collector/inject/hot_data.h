// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "collector/inject/address_filter.h"
#include "formats/job_clock.h"

namespace vramscope::collector {

struct ControlPage;

/// What every launch reads, together on one line of cache: a framework has thrown most of the first-level
/// cache away by the time of its next launch, and each line more is a trip to the second level.
struct alignas(64) HotData {
    ControlPage* control = nullptr;  ///< see collector.h
    AddressFilter addressFilter;
    /// Stream captures that were begun and not ended in this process; almost always 0.
    std::atomic<int> openCaptures{0};
    formats::ClockKind clockKind = formats::ClockKind::Monotonic;
    /// CUPTI's number of the one context of this process; 0 while there is none or several (launch_route.h).
    std::atomic<std::uint32_t> onlyContextUid{0};
    std::atomic<std::uint8_t> acts{0};                  ///< options that act in the job (own_kernels.h)
    std::atomic<std::uint64_t> nextRouteCheckTicks{0};  ///< see noteHookedLaunch
};
static_assert(sizeof(HotData) == 64);

extern constinit HotData g_hot;

}  // namespace vramscope::collector
