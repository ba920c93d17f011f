// SPDX-License-Identifier: Apache-2.0
// Host memory that the device can reach: allocated pinned, or registered by the program.
#include <sys/mman.h>
#include <vector>

#include "samples/sim/allocations.h"
#include "samples/sim/context_objects.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {
namespace {

constexpr uint64_t kHostPageBytes = 4096;
constexpr unsigned int kAllocFlags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned int kRegisterFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                        CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;

uint64_t numberOf(const void* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}
uint64_t mappedBytes(uint64_t sizeBytes) {
    return (sizeBytes + kHostPageBytes - 1) / kHostPageBytes * kHostPageBytes;
}

Allocation* hostAllocationAt(const void* pointer, MemoryKind kind) {
    Allocation* allocation = allocations().at(numberOf(pointer));
    return allocation && allocation->kind == kind ? allocation : nullptr;
}

CUresult allocatePinned(void** result, size_t sizeBytes, unsigned int flags) {
    if (!result || !sizeBytes || (flags & ~kAllocFlags)) return CUDA_ERROR_INVALID_VALUE;
    void* memory =
        mmap(nullptr, mappedBytes(sizeBytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    Allocation allocation;
    allocation.address = numberOf(memory);
    allocation.sizeBytes = sizeBytes;
    allocation.kind = MemoryKind::PinnedHost;
    allocation.context = currentContext();
    allocation.device = currentContext()->device;
    allocation.flags = flags;
    allocations().add(std::move(allocation));
    *result = memory;
    return CUDA_SUCCESS;
}

void release(const Allocation& allocation) {
    if (allocation.kind == MemoryKind::PinnedHost) {
        munmap(reinterpret_cast<void*>(allocation.address), mappedBytes(allocation.sizeBytes));
    }
    allocations().remove(allocation.address);
}

}  // namespace

SIM_API(Context, cuMemAllocHost_v2, void** memory, size_t sizeBytes) {
    return allocatePinned(memory, sizeBytes, 0);
}

SIM_API(Context, cuMemHostAlloc, void** memory, size_t sizeBytes, unsigned int flags) {
    return allocatePinned(memory, sizeBytes, flags);
}

SIM_API(Context, cuMemFreeHost, void* memory) {
    if (!memory) return CUDA_SUCCESS;
    if (!hostAllocationAt(memory, MemoryKind::PinnedHost)) return CUDA_ERROR_INVALID_VALUE;
    finishContext(*currentContext());
    const Allocation* allocation = hostAllocationAt(memory, MemoryKind::PinnedHost);
    if (!allocation) return CUDA_ERROR_INVALID_VALUE;
    release(*allocation);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemHostRegister_v2, void* memory, size_t sizeBytes, unsigned int flags) {
    if (!memory || !sizeBytes || (flags & ~kRegisterFlags)) return CUDA_ERROR_INVALID_VALUE;
    if (allocations().holding(numberOf(memory)) || allocations().holding(numberOf(memory) + sizeBytes - 1)) {
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    Allocation allocation;
    allocation.address = numberOf(memory);
    allocation.sizeBytes = sizeBytes;
    allocation.kind = MemoryKind::RegisteredHost;
    allocation.context = currentContext();
    allocation.device = currentContext()->device;
    allocation.flags = flags;
    allocations().add(std::move(allocation));
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemHostUnregister, void* memory) {
    if (!memory) return CUDA_ERROR_INVALID_VALUE;
    if (hostAllocationAt(memory, MemoryKind::PinnedHost)) return CUDA_ERROR_INVALID_VALUE;
    if (!hostAllocationAt(memory, MemoryKind::RegisteredHost)) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    finishContext(*currentContext());
    const Allocation* allocation = hostAllocationAt(memory, MemoryKind::RegisteredHost);
    if (!allocation) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    release(*allocation);
    return CUDA_SUCCESS;
}

static const Allocation* hostAllocationHolding(const void* memory) {
    const Allocation* allocation = allocations().holding(numberOf(memory));
    const bool host = allocation && (allocation->kind == MemoryKind::PinnedHost ||
                                     allocation->kind == MemoryKind::RegisteredHost);
    return host ? allocation : nullptr;
}

SIM_API(Context, cuMemHostGetDevicePointer_v2, CUdeviceptr* address, void* memory, unsigned int flags) {
    if (!address || flags || !hostAllocationHolding(memory)) return CUDA_ERROR_INVALID_VALUE;
    *address = numberOf(memory);  // unified addressing
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemHostGetFlags, unsigned int* flags, void* memory) {
    const Allocation* allocation = hostAllocationHolding(memory);
    if (!flags || !allocation) return CUDA_ERROR_INVALID_VALUE;
    // Every context maps host memory into the device, asked or not.
    *flags = allocation->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    return CUDA_SUCCESS;
}

void dropHostMemory(Context& context) {
    std::vector<uint64_t> mine;
    for (const auto& [address, allocation] : allocations()) {
        const bool host =
            allocation.kind == MemoryKind::PinnedHost || allocation.kind == MemoryKind::RegisteredHost;
        if (host && allocation.context == &context) mine.push_back(address);
    }
    for (uint64_t address : mine)
        release(*allocations().at(address));
}

}  // namespace vramscope::sim
