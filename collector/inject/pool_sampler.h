// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include "collector/inject/call_table.h"

namespace vramscope::collector {

enum class PoolSampling { Now, IfDue };

/// Pools whose contents are worth reading. A small table without locks: a pool beyond its 64 places is not
/// sampled.
void rememberPool(CUmemoryPool pool);
void forgetPool(CUmemoryPool pool);

/// The pool that cuMemAllocAsync takes from in the calling thread's context; null if the driver does not say.
/// Asked of the driver once a device, and announced to the recorder with that device.
CUmemoryPool currentDevicePool(Call& call);

/// Asks the driver anew next time: the job chose another pool for a device.
void forgetDevicePools();

/// Writes a sample of every known pool: reserved, used and release threshold; and of graph memory, where
/// graphs have any. None while a capture is open. With IfDue at most every 10 ms
/// in the whole process, and none after a call that failed. Costs four queries of 39 ns a pool
/// (docs/measurements.md).
void samplePools(Call& call, PoolSampling when);

}  // namespace vramscope::collector
