// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda.h>

#include "collector/inject/call_table.h"

namespace vramscope::collector {

/// One end of a shaped copy, reduced to where its first byte lies and how rows and slices follow.
struct CopyEnd {
    std::uint64_t start;
    std::uint64_t pitch;
    std::uint64_t slicePitch;
    bool isArray;
};

inline CopyEnd copyEnd(CUmemorytype type, const void* host, CUdeviceptr device, CUarray array,
                       std::uint64_t x, std::uint64_t y, std::uint64_t z, std::uint64_t pitch,
                       std::uint64_t height) {
    if (type == CU_MEMORYTYPE_ARRAY) return {asWord(array), 0, 0, true};
    const std::uint64_t base = type == CU_MEMORYTYPE_HOST ? asWord(host) : device;
    const std::uint64_t slicePitch = pitch * height;
    return {base + z * slicePitch + y * pitch + x, pitch, slicePitch, false};
}

/// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER name these fields alike.
template <typename Copy>
CopyEnd destinationOf(const Copy& copy) {
    return copyEnd(copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray, copy.dstXInBytes,
                   copy.dstY, copy.dstZ, copy.dstPitch, copy.dstHeight);
}
template <typename Copy>
CopyEnd sourceOf(const Copy& copy) {
    return copyEnd(copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcArray, copy.srcXInBytes,
                   copy.srcY, copy.srcZ, copy.srcPitch, copy.srcHeight);
}

}  // namespace vramscope::collector
