// SPDX-License-Identifier: Apache-2.0
// What the driver knows about an address.
#include "samples/sim/allocations.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/pool.h"

namespace vramscope::sim {
namespace {

bool isHost(const Allocation& allocation) {
    return allocation.kind == MemoryKind::PinnedHost || allocation.kind == MemoryKind::RegisteredHost;
}

template <typename T>
CUresult give(void* data, T value) {
    *static_cast<T*>(data) = value;
    return CUDA_SUCCESS;
}

CUresult attributeOf(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
    const Allocation* allocation = allocations().holding(address);
    if (!data || !allocation) return CUDA_ERROR_INVALID_VALUE;
    Context* context = allocation->context ? allocation->context : currentContext();
    switch (attribute) {
        case CU_POINTER_ATTRIBUTE_CONTEXT:
            return give(data, handleOf(context));
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            return give<unsigned int>(data, isHost(*allocation) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
            return give(data, address);
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            if (!isHost(*allocation) && allocation->kind != MemoryKind::Managed)
                return CUDA_ERROR_INVALID_VALUE;
            return give(data, reinterpret_cast<void*>(address));
        case CU_POINTER_ATTRIBUTE_BUFFER_ID:
            return give<unsigned long long>(data, allocation->id);
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            return give<unsigned int>(data, allocation->kind == MemoryKind::Managed);
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            return give<int>(data, allocation->device);
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
            return give<bool>(data, allocation->kind == MemoryKind::Device);
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
            return give(data, allocation->address);
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
            return give<size_t>(data, allocation->sizeBytes);
        case CU_POINTER_ATTRIBUTE_MAPPED:
            return give<bool>(data, true);
        case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
            return give(data, allocation->pool ? handleOf(allocation->pool) : CUmemoryPool(nullptr));
        default:
            return CUDA_ERROR_NOT_SUPPORTED;
    }
}

}  // namespace

SIM_API(Context, cuPointerGetAttribute, void* data, CUpointer_attribute attribute, CUdeviceptr address) {
    return attributeOf(data, attribute, address);
}

SIM_API(Context, cuPointerGetAttributes, unsigned int count, CUpointer_attribute* attributes, void** data,
        CUdeviceptr address) {
    if (!count || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned int i = 0; i < count; ++i) {
        // An unknown address is no error here: its attributes are null.
        if (attributeOf(data[i], attributes[i], address) != CUDA_SUCCESS && data[i]) {
            *static_cast<unsigned int*>(data[i]) = 0;
        }
    }
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
