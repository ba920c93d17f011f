// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/collector.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/inject/address_filter.h"
#include "collector/inject/arena_file.h"
#include "collector/inject/call_stack.h"
#include "collector/inject/callbacks.h"
#include "collector/inject/clock.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/guard.h"
#include "collector/inject/hot_data.h"
#include "collector/inject/kernel_layouts.h"
#include "collector/inject/lane_writer.h"
#include "collector/inject/launch_hooks.h"
#include "collector/inject/log.h"
#include "collector/inject/mark_file.h"
#include "collector/inject/perturb.h"
#include "collector/inject/poison.h"
#include "collector/inject/process_hooks.h"
#include "collector/inject/python_exceptions.h"
#include "collector/inject/stack_table.h"
#include "collector/inject/watch.h"

namespace vramscope::collector {

Collector g_collector;
constinit HotData g_hot;

namespace {

bool prepare(char* reason, std::size_t reasonBytes) {
    if (::madvise(&g_hot, sizeof(g_hot), MADV_WIPEONFORK) != 0) {
        std::snprintf(reason, reasonBytes,
                      "the kernel offers no memory that fork() wipes (needs Linux 4.14)");
        return false;
    }
    g_collector.arena = createArena(g_collector.config, reason, reasonBytes);
    if (g_collector.arena == nullptr) return false;
    g_collector.attachNs = g_collector.arena->attachMonotonicNs;
    if (!prepareLanes() || !prepareStackTable() || !prepareCallStacks() || !prepareAddressFilter() ||
        !prepareKernelLayouts()) {
        std::snprintf(reason, reasonBytes, "out of memory");
        return false;
    }
    loadDriverApi();
    installProcessHooks();
    return true;
}

void endJobIfRequired() {
    // The user chose a stopped job over an unrecorded one; exit handlers of a half-started CUDA are not worth
    // running.
    if (g_collector.config.require) ::_exit(125);
}

// A recorder that has met this process alive learns from the kernel how it ended, whatever ends it. Most are
// met within a millisecond; one that is not may go on, and its end may then stay unknown.
void waitUntilMet(const formats::ArenaHeader& arena) {
    constexpr std::uint64_t kPatienceNs = 100'000'000;
    constexpr timespec kPause{0, 100'000};
    const std::uint64_t deadline = monotonicNs() + kPatienceNs;
    while (arena.recorderPid.load(std::memory_order_relaxed) == 0 && monotonicNs() < deadline)
        ::nanosleep(&kPause, nullptr);
}

}  // namespace

void startCollector() {
    if (isRecording()) return;
    g_collector.config = readConfig();
    g_hot.clockKind = g_collector.config.clockKind;
    g_hot.launchStacks = g_collector.config.launchStacks;
    if (g_collector.config.sessionDirectory[0] == '\0') return;
    char reason[sizeof(formats::ArenaHeader::offReason)] = "";
    if (!prepare(reason, sizeof(reason))) {
        logLine("cannot record process %d: %s.%s", ::getpid(), reason,
                g_collector.config.require ? "" : "\n  The job runs on without recording.");
        leaveMark(g_collector.config, reason);
        endJobIfRequired();
        return;
    }

    formats::ArenaHeader& arena = *g_collector.arena;
    const bool subscribed = subscribeToEngine(arena, reason, sizeof(reason));
    if (subscribed) {
        // Under the exact engine they would be patched and marked themselves, and hooks would save nothing.
        if (g_collector.config.engine == Engine::Cupti) {
            installLaunchHooks();
            prepareGuards();
            preparePoison();
            prepareWatch();
            preparePerturbation();
        }
        arena.state.store(static_cast<std::uint32_t>(formats::ArenaState::Recording),
                          std::memory_order_release);
        g_hot.epoch.store(arena.pid, std::memory_order_release);
    } else {
        std::memcpy(arena.offReason, reason, sizeof(reason));
        arena.state.store(static_cast<std::uint32_t>(formats::ArenaState::Off), std::memory_order_release);
        logLine("cannot record: %s\n  The job runs on without recording.", reason);
    }
    // Published even when off, so that the capture says why this process has no events.
    if (!publishArena(g_collector.config, arena)) turnOff("the session directory is gone");
    if (!isRecording()) return endJobIfRequired();
    waitUntilMet(arena);
    watchPythonExceptions();
}

void turnOff(const char* reason) {
    if (g_hot.epoch.exchange(0) == 0) return;
    formats::ArenaHeader& arena = *g_collector.arena;
    std::strncpy(arena.offReason, reason, sizeof(arena.offReason) - 1);
    arena.state.store(static_cast<std::uint32_t>(formats::ArenaState::Off), std::memory_order_release);
    logLine("stopped recording process %u: %s. The job runs on.", arena.pid, reason);
}

void countDrop(formats::DropReason reason, std::uint64_t lost) {
    formats::DropCounter& counter = g_collector.arena->drops[static_cast<std::size_t>(reason)];
    const std::uint64_t now = nowTicks();
    std::uint64_t none = 0;
    counter.firstTicks.compare_exchange_strong(none, now, std::memory_order_relaxed);
    counter.lastTicks.store(now, std::memory_order_relaxed);
    counter.count.fetch_add(lost, std::memory_order_release);
}

}  // namespace vramscope::collector
