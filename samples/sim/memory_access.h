// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "samples/sim/allocations.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {

enum class Access { Read, Write };

/// True when the driver knows the whole range (device, managed, pinned, registered, mapped) and it may be
/// used so.
bool mayAccess(uint64_t address, uint64_t sizeBytes, Access access);
/// True for memory that the device reaches by itself: a copy from or to other host memory blocks the calling
/// thread.
bool isPageable(uint64_t address);

/// Puts work into the stream that `handle` means; with `blocking`, also waits for it.
/// CUDA_ERROR_INVALID_HANDLE for no stream.
CUresult submit(CUstream handle, Work work, bool blocking);

bool isCapturing(CUstream handle);

/// Work that runs `function`, for calls that cannot fail on the device.
template <typename F>
Work deviceWork(CUgraphNodeType type, F function) {
    Work work;
    work.type = type;
    work.run = [function = std::move(function)] {
        function();
        return CUDA_SUCCESS;
    };
    return work;
}

inline char* bytesAt(uint64_t address) {
    return reinterpret_cast<char*>(address);
}

}  // namespace vramscope::sim
