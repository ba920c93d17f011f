// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/launch_checks.h"
#include "collector/inject/own_kernels.h"

namespace vramscope::collector {

// Guard bytes behind device allocations (`vramscope run --guard`). The request is enlarged as the call
// begins, which the driver honours though CUPTI promises nothing (docs/measurements.md); the first guarded
// allocation is measured, and if the driver did not, guards are off and that is said. A kernel of ours looks
// whether the bytes changed: plain memory at each synchronisation, every so many launches and before a free,
// on a stream of our own; stream-ordered memory before its free, on the job's stream. While any stream of the
// process is being captured we do none of this: what is allocated meanwhile has no guard. Guards are for
// processes with one context.

/// Whether guards are wanted and possible in this process. One load.
inline bool guardsAreOn() {
    return isWanted(Act::Guard);
}

/// Reads the settings. Before recording starts; says so when guards were asked for and cannot be had.
void prepareGuards();

/// At the entry of an allocation: makes room for a guard behind `sizeBytes`, if one is wanted.
void enlargeForGuard(ThreadState& thread, std::size_t& sizeBytes);

/// At the exit: what the job asked for, where `sizeBytes` is what the driver was asked for.
std::uint64_t sizeWithoutGuard(const Call& call, std::uint64_t sizeBytes);

/// At the exit of a successful allocation at `address`: fills and registers its guard. `stream` is the one
/// that an ordered allocation was given; null with isOrdered false.
void registerGuard(Call& call, CUdeviceptr address, std::uint64_t sizeBytes, bool isOrdered, CUstream stream);

/// At the entry of a free: checks the guard for the last time and forgets it. A refused free leaves the
/// buffer without a guard.
void checkBeforeFree(ThreadState& thread, CUdeviceptr address, bool isOrdered, CUstream stream);

/// At the exit of a call that waited for the device.
void checkAfterSync(Call& call);

/// After a launch that may be followed by one of ours on its stream, and after any other launch, copy or set.
/// Inside an ActScope.
void checkAfterLaunch(ThreadState& thread, const MadeLaunch& launch);
void checkAfterWork(ThreadState& thread);

/// The context with CUPTI's number `contextUid` goes, and all our memory in it.
void endGuards(std::uint32_t contextUid);

/// The bytes of guard that belong to the allocation that begins at `address`; 0 for none.
std::uint64_t guardBytesAt(CUdeviceptr address);

}  // namespace vramscope::collector
