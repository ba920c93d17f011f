// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cupti.h>

#include "collector/inject/sanitizer_abi.h"

namespace vramscope::collector {

struct OpenCall;

// The exact engine's own part (`vramscope run --engine exact`): which bytes of which live memory each kernel
// reads and writes. Patches (collector/device/exact_patch.cu) mark pieces of the live memory, into a place
// that every launch gets of its own in a device buffer of ours (exact_ring.h). The marks are read when the
// job has waited for the launch anyway, or when the buffer is full; the first is free of waiting, the second
// waits for the streams that have marks. Works through the Compute Sanitizer API only and makes no CUDA call.
// One context of a process is marked, the first; launches in others are recorded without their accesses.

/// Makes the tables. Before the first callback. False with a sentence when it cannot be.
bool prepareExact(char* reason, std::size_t reasonBytes);

/// Whether accesses are marked in this process. One load.
bool exactIsOn();

/// [address, address + sizeBytes) is live memory from now on. At the exit of the call that made it.
void exactMemoryAdded(std::uint64_t address, std::uint64_t sizeBytes);
/// The memory that begins at `address` has ended by a call that began at `enterTicks`: at its exit, and only
/// if it succeeded. Memory that came to life meanwhile at the same address stays.
void exactMemoryRemoved(std::uint64_t address, std::uint64_t enterTicks);
/// The same of all memory that begins within [address, address + sizeBytes).
void exactRangeRemoved(std::uint64_t address, std::uint64_t sizeBytes, std::uint64_t enterTicks);

/// The module's code is patched as it arrives.
void exactModuleLoaded(const sanitizer::ModuleData& module);
/// Its functions are about to go.
void exactModuleUnloads(const sanitizer::ModuleData& module);
/// Gives the launch its place for marks. Inside the call that launches.
void exactLaunchBegins(const sanitizer::LaunchData& launch, bool isGraphNode);
/// After a driver call of the job: reads marks if it waited for kernels.
void exactAfterCall(std::uint32_t id, const CUpti_CallbackData& data, OpenCall& call);
/// Reads what is left before the context goes.
void exactContextEnds(CUcontext context);
/// The process is about to exit; the driver may still be asked.
void exactProcessEnds();

}  // namespace vramscope::collector
