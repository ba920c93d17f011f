// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory and the pools it comes from.
#include "samples/sim/pool.h"

#include <memory>
#include <utility>

#include "samples/sim/allocations.h"
#include "samples/sim/capture.h"
#include "samples/sim/device_heap.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/graph_memory.h"
#include "samples/sim/machine.h"
#include "samples/sim/memory_access.h"

namespace vramscope::sim {

static bool exists(CUdevice device) {
    return device >= 0 && uint32_t(device) < deviceCount();
}

static void captureMemoryNode(Stream& stream, CUgraphNodeType type, CUdeviceptr address, size_t sizeBytes) {
    auto details = std::make_shared<NodeDetails>();
    details->address = address;
    details->sizeBytes = sizeBytes;
    Work work;
    work.type = type;
    work.details = std::move(details);
    captureWork(stream, std::move(work));
}

static CUresult captureAllocation(CUdeviceptr* address, size_t sizeBytes, CUdevice device, Stream& stream) {
    *address = reserveGraphMemory(device, sizeBytes);
    if (!*address) return CUDA_ERROR_OUT_OF_MEMORY;
    captureMemoryNode(stream, CU_GRAPH_NODE_TYPE_MEM_ALLOC, *address, sizeBytes);
    return CUDA_SUCCESS;
}

static CUresult allocate(CUdeviceptr* address, size_t sizeBytes, Pool* pool, CUstream handle) {
    Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!address || !pool || !sizeBytes) return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture) return captureAllocation(address, sizeBytes, pool->device, *stream);
    const Allocation* allocation = allocateFromPool(*pool, sizeBytes, *stream);
    if (!allocation) {
        // Blocks whose free is still ahead in some stream may be all that is missing.
        if (const CUresult failed = finishContext(*currentContext()); failed != CUDA_SUCCESS) return failed;
        allocation = allocateFromPool(*pool, sizeBytes, *stream);
    }
    if (!allocation) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = allocation->address;
    Work work;
    work.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    enqueue(*stream, std::move(work));
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemAllocAsync, CUdeviceptr* address, size_t sizeBytes, CUstream stream) {
    return allocate(address, sizeBytes, &currentPool(currentContext()->device), stream);
}
SIM_API_PER_THREAD(Context, cuMemAllocAsync, _ptsz)

SIM_API(Context, cuMemAllocFromPoolAsync, CUdeviceptr* address, size_t sizeBytes, CUmemoryPool pool,
        CUstream stream) {
    return allocate(address, sizeBytes, findPool(pool), stream);
}
SIM_API_PER_THREAD(Context, cuMemAllocFromPoolAsync, _ptsz)

SIM_API(Context, cuMemFreeAsync, CUdeviceptr address, CUstream handle) {
    Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!address) return CUDA_SUCCESS;
    const Allocation* allocation = allocations().at(address);
    if (stream->capture) {
        if (!isGraphMemory(address)) return CUDA_ERROR_INVALID_VALUE;
        captureMemoryNode(*stream, CU_GRAPH_NODE_TYPE_MEM_FREE, address, 0);
        return CUDA_SUCCESS;
    }
    if (isGraphMemory(address)) return endGraphMemoryUse(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (allocation && allocation->kind == MemoryKind::Pool) {
        freeToPool(*allocation, *stream);
        return CUDA_SUCCESS;
    }
    if (!allocation || allocation->kind != MemoryKind::Device) return CUDA_ERROR_INVALID_VALUE;
    // Plain memory is legal here, too; it goes when the stream comes to it, and the device waits for nobody
    // else.
    if (const CUresult failed = finish(markOf(*stream), *stream->context); failed != CUDA_SUCCESS)
        return failed;
    allocation = allocations().at(address);
    if (!allocation) return CUDA_ERROR_INVALID_VALUE;
    heapOf(*allocation->context).free(*allocation);
    return CUDA_SUCCESS;
}
SIM_API_PER_THREAD(Context, cuMemFreeAsync, _ptsz)

SIM_API(Driver, cuDeviceGetDefaultMemPool, CUmemoryPool* pool, CUdevice device) {
    if (!pool) return CUDA_ERROR_INVALID_VALUE;
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    *pool = handleOf(&defaultPool(device));
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuDeviceGetMemPool, CUmemoryPool* pool, CUdevice device) {
    if (!pool) return CUDA_ERROR_INVALID_VALUE;
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    *pool = handleOf(&currentPool(device));
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuDeviceSetMemPool, CUdevice device, CUmemoryPool handle) {
    Pool* pool = findPool(handle);
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!pool || pool->device != device) return CUDA_ERROR_INVALID_VALUE;
    setCurrentPool(device, *pool);
    return CUDA_SUCCESS;
}

/// The device of a location that pools are asked for by; -1 for what this machine has no pools of.
static CUdevice deviceOf(const CUmemLocation* location, CUmemAllocationType type) {
    if (!location || location->type != CU_MEM_LOCATION_TYPE_DEVICE) return -1;
    return type == CU_MEM_ALLOCATION_TYPE_PINNED && exists(location->id) ? location->id : -1;
}

SIM_API(Driver, cuMemGetDefaultMemPool, CUmemoryPool* pool, CUmemLocation* location,
        CUmemAllocationType type) {
    const CUdevice device = deviceOf(location, type);
    if (!pool || device < 0) return CUDA_ERROR_INVALID_VALUE;
    *pool = handleOf(&defaultPool(device));
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuMemGetMemPool, CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
    const CUdevice device = deviceOf(location, type);
    if (!pool || device < 0) return CUDA_ERROR_INVALID_VALUE;
    *pool = handleOf(&currentPool(device));
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuMemSetMemPool, CUmemLocation* location, CUmemAllocationType type, CUmemoryPool handle) {
    const CUdevice device = deviceOf(location, type);
    Pool* pool = findPool(handle);
    if (device < 0 || !pool || pool->device != device) return CUDA_ERROR_INVALID_VALUE;
    setCurrentPool(device, *pool);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuMemPoolCreate, CUmemoryPool* handle, const CUmemPoolProps* properties) {
    if (!handle || !properties || properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE) return CUDA_ERROR_NOT_SUPPORTED;
    if (!exists(properties->location.id)) return CUDA_ERROR_INVALID_DEVICE;
    Pool* pool = newPool(properties->location.id);
    pool->maximumBytes = properties->maxSize;
    *handle = handleOf(pool);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuMemPoolDestroy, CUmemoryPool handle) {
    Pool* pool = findPool(handle);
    if (!pool || pool->isDefault) return CUDA_ERROR_INVALID_VALUE;
    destroyPool(*pool);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuMemPoolTrimTo, CUmemoryPool handle, size_t keepBytes) {
    Pool* pool = findPool(handle);
    if (!pool) return CUDA_ERROR_INVALID_VALUE;
    trimPool(*pool, keepBytes);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuMemPoolGetAttribute, CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
    const Pool* pool = findPool(handle);
    if (!pool || !value) return CUDA_ERROR_INVALID_VALUE;
    auto* number = static_cast<cuuint64_t*>(value);
    auto* flag = static_cast<int*>(value);
    switch (attribute) {
        case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
            *flag = pool->reuseFollowEvents;
            break;
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
            *flag = pool->reuseOpportunistic;
            break;
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
            *flag = pool->reuseInternal;
            break;
        case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
            *number = pool->releaseThreshold;
            break;
        case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
            *number = pool->reservedBytes;
            break;
        case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
            *number = pool->reservedHighBytes;
            break;
        case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
            *number = pool->usedBytes;
            break;
        case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
            *number = pool->usedHighBytes;
            break;
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuMemPoolSetAttribute, CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
    Pool* pool = findPool(handle);
    if (!pool || !value) return CUDA_ERROR_INVALID_VALUE;
    const cuuint64_t* number = static_cast<cuuint64_t*>(value);
    const int* flag = static_cast<int*>(value);
    switch (attribute) {
        case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
            pool->reuseFollowEvents = *flag;
            break;
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
            pool->reuseOpportunistic = *flag;
            break;
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
            pool->reuseInternal = *flag;
            break;
        case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
            pool->releaseThreshold = *number;
            break;
        case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
            if (*number) return CUDA_ERROR_INVALID_VALUE;  // a watermark can only be reset
            pool->reservedHighBytes = pool->reservedBytes;
            break;
        case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
            if (*number) return CUDA_ERROR_INVALID_VALUE;
            pool->usedHighBytes = pool->usedBytes;
            break;
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuMemPoolSetAccess, CUmemoryPool handle, const CUmemAccessDesc* descriptions, size_t count) {
    return findPool(handle) && descriptions && count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIM_API(Driver, cuMemPoolGetAccess, CUmemAccess_flags* flags, CUmemoryPool handle, CUmemLocation* location) {
    if (!findPool(handle) || !flags || !location) return CUDA_ERROR_INVALID_VALUE;
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
