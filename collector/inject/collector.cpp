// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/collector.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/inject/address_filter.h"
#include "collector/inject/arena_file.h"
#include "collector/inject/call_stack.h"
#include "collector/inject/callbacks.h"
#include "collector/inject/clock.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/kernel_layouts.h"
#include "collector/inject/lane_writer.h"
#include "collector/inject/log.h"
#include "collector/inject/process_hooks.h"
#include "collector/inject/stack_table.h"

namespace vramscope::collector {

Collector g_collector;
ControlPage* g_control = nullptr;
formats::ClockKind g_clockKind = formats::ClockKind::Monotonic;

namespace {

bool prepareControlPage() {
    if (g_control != nullptr) return true;
    const auto pageBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* page = ::mmap(nullptr, pageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    if (::madvise(page, pageBytes, MADV_WIPEONFORK) != 0) {
        ::munmap(page, pageBytes);
        return false;
    }
    g_control = static_cast<ControlPage*>(page);
    return true;
}

bool prepare() {
    if (!prepareControlPage()) {
        logLine("cannot record process %d: the kernel offers no memory that fork() wipes (needs Linux 4.14).",
                ::getpid());
        return false;
    }
    g_collector.arena = createArena(g_collector.config);
    if (g_collector.arena == nullptr) return false;
    g_collector.attachNs = g_collector.arena->attachMonotonicNs;
    if (!prepareLanes() || !prepareStackTable() || !prepareCallStacks() || !prepareAddressFilter() ||
        !prepareKernelLayouts()) {
        logLine("cannot record process %d: out of memory.", ::getpid());
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

}  // namespace

void startCollector() {
    if (isRecording()) return;
    g_collector.config = readConfig();
    g_clockKind = g_collector.config.clockKind;
    if (g_collector.config.sessionDirectory[0] == '\0') return;
    if (!prepare()) {
        endJobIfRequired();
        return;
    }

    formats::ArenaHeader& arena = *g_collector.arena;
    char reason[sizeof(arena.offReason)] = "";
    const bool subscribed = subscribeToCupti(arena, reason, sizeof(reason));
    if (subscribed) {
        arena.state.store(static_cast<std::uint32_t>(formats::ArenaState::Recording),
                          std::memory_order_release);
        g_control->epoch.store(arena.pid, std::memory_order_release);
    } else {
        std::memcpy(arena.offReason, reason, sizeof(reason));
        arena.state.store(static_cast<std::uint32_t>(formats::ArenaState::Off), std::memory_order_release);
        logLine("cannot record: %s\n  The job runs on without recording.", reason);
    }
    // Published even when off, so that the capture says why this process has no events.
    if (!publishArena(g_collector.config, arena)) turnOff("the session directory is gone");
    if (!isRecording()) endJobIfRequired();
}

void turnOff(const char* reason) {
    if (g_control == nullptr || g_control->epoch.exchange(0) == 0) return;
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
