// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/own_kernels.h"

namespace vramscope::collector {

// `vramscope run --perturb=SEED`: what a driver is free to do otherwise, done otherwise, so that faults that
// hang on luck show: where buffers lie (their guards are of different lengths), which freed address comes
// back (now and then a freed block is held for us until the next one), and how late a launch begins (a kernel
// of ours that waits stands before some of them). All of it follows from the seed, the order of threads and
// what each of them does; nothing a program may rely on changes.

/// Reads the settings. Before recording starts; says so when this cannot be had.
void preparePerturbation();

/// Bytes more for the guard of the allocation that the calling thread makes; 0 without --perturb.
std::uint32_t placementBytes();

/// A launch on `stream` is about to be made: delays it, or not. Inside an ActScope.
void delayLaunch(ThreadState& thread, CUstream stream, std::uint32_t contextUid);

/// At the entry of a free of plain memory at `address`, and at its exit.
void beforeReuse(ThreadState& thread, CUdeviceptr address);
void afterFree(Call& call);

/// `freeBytes` of the device are free and the job asks for `sizeBytes`: what we hold is given back if it may
/// be needed. Inside an ActScope.
void makeRoom(std::uint64_t freeBytes, std::uint64_t sizeBytes);

/// The context with CUPTI's number `contextUid` goes.
void endPerturbation(std::uint32_t contextUid);

}  // namespace vramscope::collector
