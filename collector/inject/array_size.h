// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda.h>

namespace vramscope::collector {

/// Bytes of one channel of an array element (cuda.h 13.0, CUarray_format). Block-compressed and video
/// formats, which have no bytes per element, count as 1: their size is then a lower bound.
constexpr std::uint64_t channelBytes(CUarray_format format) {
    switch (format) {
        case CU_AD_FORMAT_UNSIGNED_INT16:
        case CU_AD_FORMAT_SIGNED_INT16:
        case CU_AD_FORMAT_HALF:
            return 2;
        case CU_AD_FORMAT_UNSIGNED_INT32:
        case CU_AD_FORMAT_SIGNED_INT32:
        case CU_AD_FORMAT_FLOAT:
            return 4;
        default:
            return 1;
    }
}

/// Bytes of a CUDA array's elements, without the driver's padding, which it does not tell.
constexpr std::uint64_t arrayBytes(const CUDA_ARRAY_DESCRIPTOR& shape) {
    const std::uint64_t rows = shape.Height != 0 ? shape.Height : 1;
    return shape.Width * rows * channelBytes(shape.Format) * shape.NumChannels;
}

/// The same for a 3D or layered array with `levels` mipmap levels, each half as large in every dimension.
constexpr std::uint64_t arrayBytes(const CUDA_ARRAY3D_DESCRIPTOR& shape, unsigned levels) {
    std::uint64_t total = 0;
    for (unsigned level = 0; level < levels && level < 32; ++level) {
        const auto extent = [level](std::uint64_t size) { return size >> level != 0 ? size >> level : 1; };
        total += extent(shape.Width) * extent(shape.Height) * extent(shape.Depth);
    }
    return total * channelBytes(shape.Format) * shape.NumChannels;
}

}  // namespace vramscope::collector
