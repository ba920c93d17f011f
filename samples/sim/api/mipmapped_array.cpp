// SPDX-License-Identifier: Apache-2.0
// Mipmapped arrays: an array a level, each half as large as the one before.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "samples/sim/array.h"
#include "samples/sim/entry_point.h"

namespace vramscope::sim {
namespace {

using Levels = std::vector<CUarray>;

std::map<CUmipmappedArray, Levels>& mipmappedArrays() {
    static auto* const instance = new std::map<CUmipmappedArray, Levels>;
    return *instance;
}

void destroyLevels(const Levels& levels) {
    for (CUarray level : levels)
        destroyArray(level);
}

}  // namespace

SIM_API(Context, cuMipmappedArrayCreate, CUmipmappedArray* handle, const CUDA_ARRAY3D_DESCRIPTOR* descriptor,
        unsigned int levelCount) {
    if (!handle || !descriptor || !levelCount) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR shape = *descriptor;
    Levels levels;
    for (unsigned int i = 0; i < levelCount; ++i) {
        CUarray level = nullptr;
        if (const CUresult failed = makeArray(&level, shape); failed != CUDA_SUCCESS) {
            destroyLevels(levels);
            return failed;
        }
        levels.push_back(level);
        shape.Width = std::max<size_t>(shape.Width / 2, 1);
        if (shape.Height) shape.Height = std::max<size_t>(shape.Height / 2, 1);
        if (shape.Depth) shape.Depth = std::max<size_t>(shape.Depth / 2, 1);
    }
    // Its first level's handle, at an address that no array has.
    *handle = reinterpret_cast<CUmipmappedArray>(reinterpret_cast<uint64_t>(levels.front()) | 1);
    mipmappedArrays()[*handle] = std::move(levels);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMipmappedArrayGetLevel, CUarray* array, CUmipmappedArray handle, unsigned int level) {
    const auto found = mipmappedArrays().find(handle);
    if (found == mipmappedArrays().end()) return CUDA_ERROR_INVALID_HANDLE;
    if (!array || level >= found->second.size()) return CUDA_ERROR_INVALID_VALUE;
    *array = found->second[level];
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMipmappedArrayDestroy, CUmipmappedArray handle) {
    const auto found = mipmappedArrays().find(handle);
    if (found == mipmappedArrays().end()) return CUDA_ERROR_INVALID_HANDLE;
    destroyLevels(found->second);
    mipmappedArrays().erase(found);
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
