// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collector/inject/address_filter.h"
#include "formats/job_clock.h"

namespace vramscope::collector {

/// The largest page that Linux uses for a program's data here: memory is wiped by whole pages.
#if defined(__x86_64__)
inline constexpr std::size_t kLargestPageBytes = 4096;
#else
inline constexpr std::size_t kLargestPageBytes = 65536;
#endif

/// Kernels launched lately, found by a hash of their function: sets of two.
inline constexpr std::size_t kRecentLayoutSets = 496;
inline constexpr std::size_t kRecentLayoutWays = 2;

/// What every launch reads, on one page of 4 KiB, and most of it on its first line of cache: a framework has
/// thrown the first-level cache and many address translations away by the time of its next launch, so each
/// line more is a trip to the second level and each page more may be a walk through the page tables, twice
/// over in a virtual machine.
///
/// fork() wipes the page (MADV_WIPEONFORK), so a forked child reads "not recording" even if it was made by a
/// bare clone(2) that runs no fork handler. For that it must be all zeros at first: the kernel wipes memory
/// that no file stands behind.
struct alignas(kLargestPageBytes) HotData {
    /// 0 while nothing is recorded. Else a number that changes when recording starts anew in a forked child:
    /// thread states of another epoch are stale.
    std::atomic<std::uint32_t> epoch{0};
    /// Stream captures that were begun and not ended in this process; almost always 0.
    std::atomic<int> openCaptures{0};
    formats::ClockKind clockKind{};
    /// CUPTI's number of the one context of this process; 0 while there is none or several (launch_route.h).
    std::atomic<std::uint32_t> onlyContextUid{0};
    AddressFilter addressFilter;
    std::atomic<std::uint64_t> nextRouteCheckTicks{0};  ///< see noteHookedLaunch
    const char* layouts = nullptr;      ///< where the layouts of kernels lie (kernel_layouts.h)
    std::atomic<std::uint8_t> acts{0};  ///< options that act in the job (own_kernels.h)
    bool launchStacks = false;          ///< launches want their call stack

    /// See kernel_layouts.h.
    alignas(64) std::atomic<std::uint32_t> recentLayouts[kRecentLayoutSets][kRecentLayoutWays] = {};
};
static_assert(offsetof(HotData, recentLayouts) == 64);
static_assert(offsetof(HotData, recentLayouts) + sizeof(HotData::recentLayouts) <= 4096);
static_assert(sizeof(HotData) == kLargestPageBytes);

extern constinit HotData g_hot;

}  // namespace vramscope::collector
