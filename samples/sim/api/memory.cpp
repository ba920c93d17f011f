// SPDX-License-Identifier: Apache-2.0
// Plain device memory: allocate, free, ask.
#include "samples/sim/allocations.h"
#include "samples/sim/device_heap.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/graph_memory.h"
#include "samples/sim/machine.h"
#include "samples/sim/memory_access.h"
#include "samples/sim/pool.h"

namespace vramscope::sim {

static CUresult allocate(CUdeviceptr* address, size_t sizeBytes, MemoryKind kind) {
    if (!address || !sizeBytes) return CUDA_ERROR_INVALID_VALUE;
    const Allocation* allocation = heapOf(*currentContext()).allocate(sizeBytes, kind);
    if (!allocation) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = allocation->address;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemAlloc_v2, CUdeviceptr* address, size_t sizeBytes) {
    return allocate(address, sizeBytes, MemoryKind::Device);
}

SIM_API(Context, cuMemAllocPitch_v2, CUdeviceptr* address, size_t* pitch, size_t widthBytes, size_t height,
        unsigned int elementBytes) {
    constexpr size_t kPitchBytes = 512;
    if (!pitch || (elementBytes != 4 && elementBytes != 8 && elementBytes != 16))
        return CUDA_ERROR_INVALID_VALUE;
    *pitch = (widthBytes + kPitchBytes - 1) / kPitchBytes * kPitchBytes;
    return allocate(address, *pitch * height, MemoryKind::Device);
}

SIM_API(Context, cuMemAllocManaged, CUdeviceptr* address, size_t sizeBytes, unsigned int flags) {
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
    return allocate(address, sizeBytes, MemoryKind::Managed);
}

static bool isFreeable(const Allocation* allocation) {
    return allocation && (allocation->kind == MemoryKind::Device || allocation->kind == MemoryKind::Managed ||
                          allocation->kind == MemoryKind::Pool);
}

SIM_API(Context, cuMemFree_v2, CUdeviceptr address) {
    if (!address) return CUDA_SUCCESS;
    if (isGraphMemory(address)) {
        if (const CUresult failed = finishContext(*currentContext()); failed != CUDA_SUCCESS) return failed;
        return endGraphMemoryUse(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    if (!isFreeable(allocations().at(address))) return CUDA_ERROR_INVALID_VALUE;
    Context* owner = allocations().at(address)->context;
    // A free waits for the device; the wait may drop the lock, so the allocation is looked up again.
    if (const CUresult failed = finishContext(owner ? *owner : *currentContext()); failed != CUDA_SUCCESS)
        return failed;
    const Allocation* allocation = allocations().at(address);
    if (!isFreeable(allocation)) return CUDA_ERROR_INVALID_VALUE;
    if (allocation->kind == MemoryKind::Pool) {
        Stream& stream = *currentContext()->legacyStream;
        freeToPool(*allocation, stream);
        finish(markOf(stream), *currentContext());
        trimPoolsAfterSync(currentContext()->device);
    } else {
        heapOf(*allocation->context).free(*allocation);
    }
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemGetInfo_v2, size_t* freeBytes, size_t* totalBytes) {
    if (freeBytes) *freeBytes = machine().file->freeBytes(uint32_t(currentContext()->device));
    if (totalBytes) *totalBytes = machine().file->memoryBytes();
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemGetAddressRange_v2, CUdeviceptr* base, size_t* sizeBytes, CUdeviceptr address) {
    const Allocation* allocation = allocations().holding(address);
    if (!allocation) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = allocation->address;
    if (sizeBytes) *sizeBytes = allocation->sizeBytes;
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
