// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/sim/driver_table.h"

namespace vramscope::sim {

struct Stream;

// What a tool that instruments kernels sees of them. All under the driver's lock.

/// One tool at a time; null ends it.
void watchLaunches(LaunchWatcher watcher);

/// Asks the tool about a kernel that is about to be put into `stream`; drops the lock for it.
LaunchPatch patchOf(Stream& stream, CUfunction function, const unsigned (&grid)[3],
                    const unsigned (&block)[3], bool isGraphNode);

/// The patch of the work that runs now.
void setRunningPatch(const LaunchPatch& patch);
/// What kernels report their accesses to; null while nobody wants to know. Memory that is not the device's is
/// left out: a kernel's own variables lie on the host's stack here.
using AccessReport = void (*)(uint64_t pc, uint64_t address, uint32_t sizeBytes, uint32_t flags);
AccessReport runningReport();

}  // namespace vramscope::sim
