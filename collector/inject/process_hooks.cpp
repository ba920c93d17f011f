// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/process_hooks.h"

#include <cstdlib>
#include <pthread.h>

#include "collector/inject/clock.h"
#include "collector/inject/collector.h"
#include "collector/inject/exact.h"

namespace vramscope::collector {

namespace {

bool g_installed = false;
std::atomic<bool> g_exiting{false};

// Registered after the CUDA runtime's own handlers, so it runs before them: what the runtime tears down from
// here on is the end of the process, not something the job did. Recording goes on, because destructors of
// static objects run later and their frees count.
void onExit(int status, void* /*unused*/) {
    if (isRecording()) exactProcessEnds();
    g_exiting.store(true, std::memory_order_relaxed);
    if (!isRecording()) return;
    formats::ArenaHeader& arena = *g_collector.arena;
    arena.exitCode.store(status, std::memory_order_relaxed);
    arena.exitTicks.store(nowTicks(), std::memory_order_release);
}

// The child of a fork has its parent's memory but neither its rings (MADV_DONTFORK) nor a working CUDA. The
// wiped page of HotData already reads "not recording"; this drops what must not be used by mistake. Locks: we
// have none.
void onForkChild() {
    g_collector.arena = nullptr;
    g_exiting.store(false, std::memory_order_relaxed);
}

}  // namespace

void installProcessHooks() {
    if (g_installed) return;
    g_installed = true;
    ::on_exit(onExit, nullptr);
    ::pthread_atfork(nullptr, nullptr, onForkChild);
}

bool isExiting() {
    return g_exiting.load(std::memory_order_relaxed);
}

}  // namespace vramscope::collector
