// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "samples/sim/context.h"

namespace vramscope::sim {

/// Memory that graphs allocate: the address is fixed when the node is made, physical memory comes at the
/// first launch and stays until a trim finds it out of use. Guarded by the driver's lock.

/// Reserves an address; 0 when there is none left.
uint64_t reserveGraphMemory(CUdevice device, uint64_t sizeBytes);
bool isGraphMemory(uint64_t address);
/// Puts memory behind the address for a launch: CUDA_ERROR_INVALID_VALUE when it is in use,
/// CUDA_ERROR_OUT_OF_MEMORY.
CUresult useGraphMemory(uint64_t address);
/// Ends the use; false when it was not in use.
bool endGraphMemoryUse(uint64_t address);

struct GraphMemoryUse {
    uint64_t usedBytes;
    uint64_t usedHighBytes;
    uint64_t reservedBytes;
    uint64_t reservedHighBytes;
};
GraphMemoryUse graphMemoryUse(CUdevice device);
void resetGraphMemoryHighs(CUdevice device, bool used, bool reserved);
/// Gives back the physical memory of everything out of use.
void trimGraphMemory(CUdevice device);

}  // namespace vramscope::sim
