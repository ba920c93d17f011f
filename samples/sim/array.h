// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "samples/sim/cuda_abi.h"

namespace vramscope::sim {

/// An array's memory, in rows without padding, layer after layer.
struct Array {
    CUDA_ARRAY3D_DESCRIPTOR descriptor{};
    uint64_t address = 0;
    size_t rowBytes = 0;
    size_t rows = 1;
};

/// Null for a handle that is none or destroyed. Called with the driver's lock.
const Array* findArray(CUarray handle);

/// What the calls for one array do, for those that handle several.
CUresult makeArray(CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR& descriptor);
CUresult destroyArray(CUarray handle);

}  // namespace vramscope::sim
