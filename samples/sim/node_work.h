// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "samples/sim/scheduler.h"

namespace vramscope::sim {

/// What a graph node says about its work when asked; which part holds is told by the work's type.
struct NodeDetails {
    CUDA_KERNEL_NODE_PARAMS kernel{};
    CUDA_MEMCPY3D copy{};
    CUDA_MEMSET_NODE_PARAMS set{};
    CUDA_HOST_NODE_PARAMS host{};
    CUdeviceptr address = 0;  ///< of an allocation or free
    size_t sizeBytes = 0;
    std::shared_ptr<void> owner;  ///< keeps what the pointers above point at
};

/// Make the work of a launch, a copy or a set, with its details. Errors as the calls give them.
CUresult makeLaunch(const CUDA_KERNEL_NODE_PARAMS& parameters, Work& work);
CUresult makeCopy(const CUDA_MEMCPY3D& parameters, Work& work);
CUresult makeSet(const CUDA_MEMSET_NODE_PARAMS& parameters, Work& work);

}  // namespace vramscope::sim
