// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/launch_watch.h"

#include "samples/sim/allocations.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/machine.h"
#include "samples/sim/module.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {
namespace {

LaunchWatcher g_watcher = nullptr;
LaunchPatch g_running;

void report(uint64_t pc, uint64_t address, uint32_t sizeBytes, uint32_t flags) {
    if (machine().addresses->contains(address) || allocations().holding(address))
        g_running.access(g_running.user, pc, address, sizeBytes, flags);
}

}  // namespace

void watchLaunches(LaunchWatcher watcher) {
    g_watcher = watcher;
}

LaunchPatch patchOf(Stream& stream, CUfunction handle, const unsigned (&grid)[3], const unsigned (&block)[3],
                    bool isGraphNode) {
    const LaunchWatcher watcher = g_watcher;
    const Function* function = findFunction(handle);
    if (!watcher || !function) return {};
    KernelLaunch launch{};
    launch.context = handleOf(stream.context);
    launch.stream = stream.legacy ? nullptr : handleOf(&stream);
    launch.streamHandle = &stream;
    launch.module = reinterpret_cast<CUmodule>(function->module);
    launch.function = handle;
    launch.name = function->kernel->name;
    for (int i = 0; i < 3; ++i) {
        launch.grid[i] = grid[i];
        launch.block[i] = block[i];
    }
    launch.isGraphNode = isGraphNode;
    const Unlocked unlocked;
    return watcher(launch);
}

void setRunningPatch(const LaunchPatch& patch) {
    g_running = patch;
}

AccessReport runningReport() {
    return g_running.access ? &report : nullptr;
}

}  // namespace vramscope::sim
