// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launch_route.h"

#include "collector/inject/callbacks.h"
#include "collector/inject/collector.h"
#include "collector/inject/launch_hooks.h"

namespace vramscope::collector {

namespace {

/// Launches in a row that must come hooked before CUPTI is let off.
constexpr std::uint32_t kHookedInARow = 256;
/// Between two checks: two seconds of a nanosecond clock, half of one or more of a processor's counter.
constexpr std::uint64_t kTicksBetweenChecks = std::uint64_t{1} << 31;

constexpr std::uint64_t kOneContext = std::uint64_t{1} << 32;

struct LaunchRoute {
    /// How many contexts there are in the high half, the sum of CUPTI's numbers for them in the low one: of a
    /// single context the sum is the number.
    std::atomic<std::uint64_t> contexts{0};
    std::atomic<bool> areContextsUnsure{false};
    std::atomic<bool> isHooked{false};
    std::atomic<bool> mayLetCuptiOff{true};
    /// CUPTI's callbacks are off because nothing came past the hook. What comes past it in the next check,
    /// with no new code between, was missed before.
    std::atomic<bool> isSurprise{false};
    std::atomic<std::uint32_t> hookedInARow{0};
    std::atomic<std::uint32_t> unhooked{0};
    std::atomic<bool> wantsCupti{true};
    std::atomic<bool> hasCupti{true};
    std::atomic_flag isSwitching = ATOMIC_FLAG_INIT;
};

constinit LaunchRoute g_route;

// CUPTI wants its switches thrown by one thread at a time. Whoever finds another at it leaves the wish
// behind, and the other sees to it.
void switchCupti(bool on) {
    g_route.wantsCupti.store(on);
    while (g_route.hasCupti.load() != g_route.wantsCupti.load()) {
        if (g_route.isSwitching.test_and_set()) return;
        const bool wanted = g_route.wantsCupti.load();
        if (g_route.hasCupti.load() != wanted) enableLaunchCallbacks(wanted);
        g_route.hasCupti.store(wanted);
        g_route.isSwitching.clear();
    }
}

void startCheck(bool isSurprise) {
    g_route.isSurprise.store(isSurprise, std::memory_order_relaxed);
    g_route.hookedInARow.store(0, std::memory_order_relaxed);
    g_hot.nextRouteCheckTicks.store(0, std::memory_order_relaxed);
    switchCupti(true);
}

// A pointer that was stored after the last look is found now. Looking costs milliseconds, so it is done at
// the first such launch and then ever more rarely.
bool isWorthALook(std::uint32_t unhooked) {
    constexpr std::uint32_t kLastLook = 1u << 16;
    return unhooked <= kLastLook && (unhooked & (unhooked - 1)) == 0;
}

}  // namespace

void startLaunchRoute() {
    // A forked child that starts CUDA of its own has its parent's values here.
    g_route.contexts.store(0);
    g_route.areContextsUnsure.store(false);
    g_route.mayLetCuptiOff.store(true);
    g_route.isSurprise.store(false);
    g_route.hookedInARow.store(0);
    g_route.unhooked.store(0);
    g_route.wantsCupti.store(true);
    g_route.hasCupti.store(true);
    g_route.isSwitching.clear();
    g_hot.onlyContextUid.store(0);
    g_hot.nextRouteCheckTicks.store(0);
    g_route.isHooked.store(true);
}

void noteContext(bool isNew, std::uint32_t uid) {
    if (!g_route.isHooked.load(std::memory_order_relaxed)) return;
    if (uid == 0) g_route.areContextsUnsure.store(true, std::memory_order_relaxed);
    const std::uint64_t one = kOneContext + uid;
    const std::uint64_t all =
        isNew ? g_route.contexts.fetch_add(one) + one : g_route.contexts.fetch_sub(one) - one;
    const bool isOnly = all / kOneContext == 1 && !g_route.areContextsUnsure.load(std::memory_order_relaxed);
    const std::uint32_t only = isOnly ? static_cast<std::uint32_t>(all) : 0;
    if (g_hot.onlyContextUid.load() == only) return;
    // CUPTI first: no launch may find neither it nor the number.
    startCheck(false);
    g_hot.onlyContextUid.store(only);
}

void expectNewCode() {
    if (!g_route.isHooked.load(std::memory_order_relaxed) || !lookForLaunchPointers()) return;
    startCheck(false);
}

void noteUnhookedLaunch() {
    if (!g_route.isHooked.load(std::memory_order_relaxed)) return;
    g_route.hookedInARow.store(0, std::memory_order_relaxed);
    if (g_route.isSurprise.exchange(false, std::memory_order_relaxed)) {
        g_route.mayLetCuptiOff.store(false, std::memory_order_relaxed);
        countDrop(formats::DropReason::LaunchUnseen);
    }
    if (isWorthALook(g_route.unhooked.fetch_add(1, std::memory_order_relaxed) + 1)) replaceLaunchPointers();
}

void checkLaunchRoute(std::uint64_t ticks) {
    if (!g_route.hasCupti.load(std::memory_order_relaxed)) return startCheck(true);
    if (g_hot.onlyContextUid.load(std::memory_order_relaxed) == 0) return;
    if (!g_route.mayLetCuptiOff.load(std::memory_order_relaxed)) {
        g_hot.nextRouteCheckTicks.store(~std::uint64_t{0}, std::memory_order_relaxed);
        return;
    }
    if (g_route.hookedInARow.fetch_add(1, std::memory_order_relaxed) + 1 != kHookedInARow) return;
    g_hot.nextRouteCheckTicks.store(ticks + kTicksBetweenChecks, std::memory_order_relaxed);
    switchCupti(false);
}

}  // namespace vramscope::collector
