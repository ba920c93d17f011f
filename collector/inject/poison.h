// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/own_kernels.h"

namespace vramscope::collector {

// `vramscope run --poison`: device memory that the job gets and gives back is filled with a pattern that
// shows (collector/device/poison_layout.h), so that a read of what nobody wrote, or of what was freed, gives
// NaN instead of what happened to lie there. Plain memory is filled on a stream of our own before the
// allocation returns and, once the device is done with it, before it is freed; stream-ordered memory in the
// order of its stream. While any stream of the process is being captured nothing is filled.

/// Whether memory is to be poisoned. One load.
inline bool poisonIsOn() {
    return isWanted(Act::Poison);
}

/// Reads the settings. Before recording starts; says so when poison was asked for and cannot be had.
void preparePoison();

/// At the exit of a successful allocation. `stream` is the one that an ordered allocation was given; null
/// with isOrdered false.
void poisonNew(Call& call, CUdeviceptr address, std::uint64_t sizeBytes, bool isOrdered, CUstream stream);

/// At the entry of a free of the block at `address`.
void poisonFreed(ThreadState& thread, CUdeviceptr address, bool isOrdered, CUstream stream);

/// The context with CUPTI's number `contextUid` goes, and our kernel with it.
void endPoison(std::uint32_t contextUid);

}  // namespace vramscope::collector
