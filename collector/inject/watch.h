// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/own_kernels.h"

namespace vramscope::collector {

// `vramscope run --watch=EXPR`: digests of buffers around the launches of tasks that do not own them, taken
// by a kernel of ours on the launch's own stream: right before it, right after it, and compared on the
// device. A digest that serves as the one after a launch serves as the one before the next if nothing else
// happened in between. What changed is recorded at the job's synchronisations and frees; nothing waits, and
// nothing is ordered that the job does not order. docs/decisions/0010-digests.md says which memory can be
// watched and why.

/// Whether buffers are to be watched. One load.
inline bool watchIsOn() {
    return isWanted(Act::Watch);
}

/// Reads the settings. Before recording starts; says so when watching was asked for and cannot be had.
void prepareWatch();

/// At the exit of a successful allocation of device memory. `stream` is the one that an ordered allocation
/// was given; null with isOrdered false.
void watchNew(Call& call, CUdeviceptr address, std::uint64_t sizeBytes, bool isOrdered, CUstream stream);

/// At the entry of a free of any memory. `stream` as above, of the free.
void unwatchFreed(ThreadState& thread, CUdeviceptr address, bool isOrdered, CUstream stream);

/// The program said something of a range (formats::OwnershipEvent).
void watchMarked(ThreadState& thread, formats::OwnershipEvent event, std::uint64_t address, const char* text);

/// A launch on `stream` is about to be made: digests of what it should leave alone. Inside an ActScope.
void digestBefore(ThreadState& thread, CUstream stream, std::uint32_t contextUid);
/// It was made, by the call `api` that began at `enterTicks`. Inside an ActScope.
void digestAfter(ThreadState& thread, std::uint16_t api, std::uint64_t enterTicks);
/// It failed, or no digests may be taken now.
void dropDigestsBefore();

/// Any other call that starts, orders or ends work has returned: what was digested before it says nothing
/// about what is there now.
void noteOtherWork();
/// At the exit of a call that waited for the device: records what was found.
void watchAfterSync(Call& call);

/// The context with CUPTI's number `contextUid` goes, and all our memory in it.
void endWatch(std::uint32_t contextUid);

}  // namespace vramscope::collector
