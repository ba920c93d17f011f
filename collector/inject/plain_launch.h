// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/kernel_layouts.h"

namespace vramscope::collector {

/// What cuLaunchKernel's parameters (from gridDimX on) and CUlaunchConfig have in common: one piece of code
/// reads both.
struct LaunchShape {
    unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
    CUstream stream;
};
static_assert(offsetof(cuLaunchKernel_params, hStream) - offsetof(cuLaunchKernel_params, gridDimX) ==
              offsetof(LaunchShape, stream));
static_assert(offsetof(cuLaunchKernel_params, blockDimX) - offsetof(cuLaunchKernel_params, gridDimX) ==
              offsetof(LaunchShape, blockX));
static_assert(offsetof(CUlaunchConfig, hStream) == offsetof(LaunchShape, stream));
static_assert(offsetof(CUlaunchConfig, blockDimX) == offsetof(LaunchShape, blockX));

/// A call that launches, whichever of the two.
struct PlainLaunch {
    std::uint32_t api;  ///< driver callback id
    CUfunction function;
    const KernelLayout* layout;  ///< recentKernelLayout() of it
    void* const* values;         ///< `kernelParams`
    const LaunchShape& shape;
};

/// Records the launch that nearly every launch is: it succeeded, its kernel was launched before, arguments
/// came as `kernelParams` and are few, no capture is open and no stack is wanted. Anything else returns false
/// with nothing recorded, and the general path (decode_launch.cpp) takes it. The launch returned just now.
///
/// Everything it needs is in few lines of cache and fewer pages, because most of what a launch costs us is
/// fetching our own code and data after the framework has used the caches:
/// docs/decisions/0004-watched-calls.md.
[[gnu::hot]] bool recordPlainLaunch(const PlainLaunch& launch, std::uint32_t contextUid,
                                    std::uint64_t enterTicks);

/// The same of a launch as CUPTI's exit callback brings it.
bool recordPlainLaunch(CUpti_CallbackId id, const CallRule& rule, const CUpti_CallbackData& data);

}  // namespace vramscope::collector
