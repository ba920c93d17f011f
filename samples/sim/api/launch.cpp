// SPDX-License-Identifier: Apache-2.0
// Kernel launches in all their forms, and the layout of a kernel's parameters.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "samples/sim/block_runner.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/launch_watch.h"
#include "samples/sim/memory_access.h"
#include "samples/sim/module.h"
#include "samples/sim/node_work.h"

namespace vramscope::sim {
namespace {

constexpr unsigned int kMaximumThreads = 1024;
constexpr size_t kMaximumSharedBytes = 48 << 10;

/// The arguments, copied: the caller's memory may be gone when the kernel runs.
struct Arguments {
    std::vector<char> bytes;
    std::vector<void*> pointers;
};
using ArgumentsPointer = std::shared_ptr<Arguments>;

size_t endOf(const KernelImage& kernel) {
    if (!kernel.parameterCount) return 0;
    const ParameterLayout& last = kernel.parameters[kernel.parameterCount - 1];
    return last.offset + last.sizeBytes;
}

ArgumentsPointer fromList(const KernelImage& kernel, void** list) {
    auto arguments = std::make_shared<Arguments>();
    arguments->bytes.resize(endOf(kernel));
    for (size_t i = 0; i < kernel.parameterCount; ++i) {
        const ParameterLayout& parameter = kernel.parameters[i];
        std::memcpy(arguments->bytes.data() + parameter.offset, list[i], parameter.sizeBytes);
    }
    return arguments;
}

/// The packed form: {BUFFER_POINTER, bytes, BUFFER_SIZE, &size, END}. Null when it is malformed.
ArgumentsPointer fromExtra(const KernelImage& kernel, void** extra) {
    const char* bytes = nullptr;
    size_t sizeBytes = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            bytes = static_cast<const char*>(extra[1]);
        } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            sizeBytes = *static_cast<const size_t*>(extra[1]);
        } else {
            return nullptr;
        }
    }
    if (!bytes && sizeBytes) return nullptr;
    auto arguments = std::make_shared<Arguments>();
    arguments->bytes.assign(bytes, bytes + sizeBytes);
    // The real driver takes too short a buffer without a word; here the missing arguments are zero.
    if (sizeBytes < endOf(kernel)) arguments->bytes.resize(endOf(kernel));
    return arguments;
}

ArgumentsPointer gather(const KernelImage& kernel, void** list, void** extra) {
    if (list && extra) return nullptr;
    if (kernel.parameterCount && !list && !extra) return nullptr;
    ArgumentsPointer arguments = list    ? fromList(kernel, list)
                                 : extra ? fromExtra(kernel, extra)
                                         : std::make_shared<Arguments>();
    if (!arguments) return nullptr;
    for (size_t i = 0; i < kernel.parameterCount; ++i) {
        arguments->pointers.push_back(arguments->bytes.data() + kernel.parameters[i].offset);
    }
    return arguments;
}

bool isPossible(const Grid& grid) {
    const Index3 block = grid.blockSize;
    const bool none =
        !grid.gridSize.x || !grid.gridSize.y || !grid.gridSize.z || !block.x || !block.y || !block.z;
    if (none || block.x > kMaximumThreads || block.y > kMaximumThreads || block.z > 64) return false;
    return size_t(block.x) * block.y * block.z <= kMaximumThreads && grid.sharedBytes <= kMaximumSharedBytes;
}

std::shared_ptr<const NodeDetails> detailsOf(CUfunction handle, const Grid& grid,
                                             const ArgumentsPointer& arguments) {
    auto details = std::make_shared<NodeDetails>();
    const auto [grids, blocks] = std::pair(grid.gridSize, grid.blockSize);
    details->kernel.func = handle;
    details->kernel.gridDimX = grids.x;
    details->kernel.gridDimY = grids.y;
    details->kernel.gridDimZ = grids.z;
    details->kernel.blockDimX = blocks.x;
    details->kernel.blockDimY = blocks.y;
    details->kernel.blockDimZ = blocks.z;
    details->kernel.sharedMemBytes = static_cast<unsigned int>(grid.sharedBytes);
    details->kernel.kernelParams = arguments->pointers.data();
    details->kernel.ctx = handleOf(currentContext());
    details->owner = arguments;
    return details;
}

CUresult prepare(CUfunction handle, const Grid& grid, void** list, void** extra, bool describe, Work& work) {
    const Function* function = findFunction(handle);
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    if (!isPossible(grid)) return CUDA_ERROR_INVALID_VALUE;
    const KernelImage& kernel = *function->kernel;
    ArgumentsPointer arguments = gather(kernel, list, extra);
    if (!arguments) return CUDA_ERROR_INVALID_VALUE;
    const ModuleImage* image = function->module->image;
    work = deviceWork(CU_GRAPH_NODE_TYPE_KERNEL, [image, &kernel, grid, arguments] {
        runGrid(*image, kernel, grid, arguments->pointers.data());
    });
    if (describe) work.details = detailsOf(handle, grid, arguments);
    return CUDA_SUCCESS;
}

CUresult launch(CUfunction handle, const Grid& grid, CUstream stream, void** list, void** extra) {
    Work work;
    const bool isNode = isCapturing(stream);
    const CUresult result = prepare(handle, grid, list, extra, isNode, work);
    if (result != CUDA_SUCCESS) return result;
    Stream* into = isNode ? nullptr : findStream(stream);
    if (into) {
        const auto [grids, blocks] = std::pair(grid.gridSize, grid.blockSize);
        work.patch =
            patchOf(*into, handle, {grids.x, grids.y, grids.z}, {blocks.x, blocks.y, blocks.z}, false);
    }
    return submit(stream, std::move(work), false);
}

CUresult layoutOf(const Function* function, size_t index, size_t* offset, size_t* sizeBytes) {
    if (!offset) return CUDA_ERROR_INVALID_VALUE;
    if (index >= function->kernel->parameterCount) return CUDA_ERROR_INVALID_VALUE;
    *offset = function->kernel->parameters[index].offset;
    if (sizeBytes) *sizeBytes = function->kernel->parameters[index].sizeBytes;
    return CUDA_SUCCESS;
}

}  // namespace

CUresult makeLaunch(const CUDA_KERNEL_NODE_PARAMS& p, Work& work) {
    const Grid grid{{p.gridDimX, p.gridDimY, p.gridDimZ},
                    {p.blockDimX, p.blockDimY, p.blockDimZ},
                    p.sharedMemBytes,
                    false};
    CUfunction function = p.func ? p.func : reinterpret_cast<CUfunction>(p.kern);
    return prepare(function, grid, p.kernelParams, p.extra, true, work);
}

SIM_LAUNCH_API(cuLaunchKernel, CUfunction function, unsigned int gridX, unsigned int gridY,
               unsigned int gridZ, unsigned int blockX, unsigned int blockY, unsigned int blockZ,
               unsigned int sharedBytes, CUstream stream, void** list, void** extra) {
    return launch(function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, false}, stream,
                  list, extra);
}

SIM_LAUNCH_API(cuLaunchCooperativeKernel, CUfunction function, unsigned int gridX, unsigned int gridY,
               unsigned int gridZ, unsigned int blockX, unsigned int blockY, unsigned int blockZ,
               unsigned int sharedBytes, CUstream stream, void** list) {
    return launch(function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, true}, stream,
                  list, nullptr);
}

SIM_LAUNCH_API(cuLaunchKernelEx, const CUlaunchConfig* config, CUfunction function, void** list,
               void** extra) {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    return launch(function,
                  {{config->gridDimX, config->gridDimY, config->gridDimZ},
                   {config->blockDimX, config->blockDimY, config->blockDimZ},
                   config->sharedMemBytes,
                   false},
                  config->hStream, list, extra);
}

SIM_API(Driver, cuFuncGetParamInfo, CUfunction handle, size_t index, size_t* offset, size_t* sizeBytes) {
    const Function* function = findFunction(handle);
    if (!function || function->isKernelHandle) return CUDA_ERROR_INVALID_HANDLE;
    return layoutOf(function, index, offset, sizeBytes);
}

SIM_API(Driver, cuKernelGetParamInfo, CUkernel handle, size_t index, size_t* offset, size_t* sizeBytes) {
    const Function* function = findFunction(handle);
    if (!function || !function->isKernelHandle) return CUDA_ERROR_INVALID_HANDLE;
    return layoutOf(function, index, offset, sizeBytes);
}

SIM_API(Context, cuFuncGetAttribute, int* value, CUfunction_attribute attribute, CUfunction handle) {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    if (!findFunction(handle)) return CUDA_ERROR_INVALID_HANDLE;
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? int(kMaximumThreads) : 0;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuFuncSetAttribute, CUfunction handle, CUfunction_attribute, int) {
    return findFunction(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

SIM_API(Context, cuOccupancyMaxActiveBlocksPerMultiprocessor, int* blocks, CUfunction handle, int blockSize,
        size_t) {
    if (!blocks || blockSize <= 0) return CUDA_ERROR_INVALID_VALUE;
    if (!findFunction(handle)) return CUDA_ERROR_INVALID_HANDLE;
    *blocks = 2048 / blockSize;
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
