// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: addresses, physical memory, and mapping one onto the other.
#include <map>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "samples/sim/address_space.h"
#include "samples/sim/allocations.h"
#include "samples/sim/device_heap.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/machine.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {
namespace {

/// Physical memory behind a handle. It lives while references or mappings are left.
struct PhysicalBlock {
    PhysicalBlock() = default;
    PhysicalBlock(const PhysicalBlock&) = delete;
    PhysicalBlock& operator=(const PhysicalBlock&) = delete;
    ~PhysicalBlock() {
        if (offered) machine().file->withdraw(offerId(handle));
    }
    /// Beside the ids of allocations, which count from 1.
    static uint64_t offerId(CUmemGenericAllocationHandle handle) { return uint64_t{1} << 40 | handle; }

    CUmemGenericAllocationHandle handle = 0;
    unsigned int references = 1;
    CUmemAllocationProp properties{};
    Pages pages;
    bool offered = false;  ///< to other processes
};
using BlockPointer = std::shared_ptr<PhysicalBlock>;

struct VirtualMemory {
    std::map<uint64_t, uint64_t> reservations;  ///< size by address
    std::map<CUmemGenericAllocationHandle, BlockPointer> handles;
    std::map<uint64_t, BlockPointer> mapped;  ///< by address; sizes are in the table of allocations
    CUmemGenericAllocationHandle lastHandle = 0x1000;
};

VirtualMemory& state() {
    static VirtualMemory* const instance = new VirtualMemory;
    return *instance;
}

CUmemGenericAllocationHandle enter(const BlockPointer& block) {
    block->handle = state().lastHandle += 0x10;
    state().handles[block->handle] = block;
    return block->handle;
}

/// What the file behind a shareable handle holds. It leads to the memory for as long as the exporter has it.
struct SharedContents {
    uint64_t magic;
    int64_t pid;
    uint64_t id;
    CUmemAllocationProp properties;
};
constexpr uint64_t kSharedMagic = 0x766d6d2d73686172;

BlockPointer findBlock(CUmemGenericAllocationHandle handle) {
    const auto found = state().handles.find(handle);
    return found == state().handles.end() ? nullptr : found->second;
}

bool isReserved(uint64_t address, uint64_t sizeBytes) {
    auto found = state().reservations.upper_bound(address);
    if (found == state().reservations.begin()) return false;
    --found;
    return address + sizeBytes <= found->first + found->second;
}

/// The mappings that make up exactly [address, address + size); empty when the range cuts one or has gaps.
std::vector<Allocation*> mappingsIn(uint64_t address, uint64_t sizeBytes) {
    std::vector<Allocation*> result;
    const uint64_t end = address + sizeBytes;
    while (address < end) {
        Allocation* mapping = allocations().at(address);
        if (!mapping || mapping->kind != MemoryKind::Mapping || mapping->sizeBytes > end - address) return {};
        result.push_back(mapping);
        address += mapping->sizeBytes;
    }
    return result;
}

bool anyMappedIn(uint64_t address, uint64_t sizeBytes) {
    const auto next = state().mapped.lower_bound(address);
    if (next != state().mapped.end() && next->first < address + sizeBytes) return true;
    const Allocation* before = allocations().holding(address);
    return before && before->kind == MemoryKind::Mapping;
}

Protection protectionOf(unsigned int flags) {
    if (flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return Protection::ReadWrite;
    return flags == CU_MEM_ACCESS_FLAGS_PROT_READ ? Protection::Read : Protection::None;
}

}  // namespace

SIM_API(Context, cuMemAddressReserve, CUdeviceptr* address, size_t sizeBytes, size_t alignment,
        CUdeviceptr wanted, unsigned long long flags) {
    const bool powerOfTwo = (alignment & (alignment - 1)) == 0;
    if (!address || !sizeBytes || sizeBytes % kPageBytes || !powerOfTwo || flags)
        return CUDA_ERROR_INVALID_VALUE;
    const uint64_t base = machine().addresses->reserve(sizeBytes, alignment, wanted);
    if (!base) return CUDA_ERROR_OUT_OF_MEMORY;
    state().reservations[base] = sizeBytes;
    *address = base;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemAddressFree, CUdeviceptr address, size_t sizeBytes) {
    const auto found = state().reservations.find(address);
    if (found == state().reservations.end() || found->second != sizeBytes ||
        anyMappedIn(address, sizeBytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    state().reservations.erase(found);
    machine().addresses->release(address, sizeBytes);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemCreate, CUmemGenericAllocationHandle* handle, size_t sizeBytes,
        const CUmemAllocationProp* properties, unsigned long long flags) {
    if (!handle || !sizeBytes || sizeBytes % kPageBytes || !properties || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (properties->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
    if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
    if (properties->location.id < 0 || uint32_t(properties->location.id) >= deviceCount()) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    auto block = std::make_shared<PhysicalBlock>();
    block->pages = takePages(properties->location.id, sizeBytes);
    if (!block->pages) return CUDA_ERROR_OUT_OF_MEMORY;
    block->properties = *properties;
    *handle = enter(block);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemExportToShareableHandle, void* shared, CUmemGenericAllocationHandle handle,
        CUmemAllocationHandleType type, unsigned long long flags) {
    const BlockPointer block = findBlock(handle);
    if (!shared || flags || !block) return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    if (block->properties.requestedHandleTypes != type) return CUDA_ERROR_INVALID_VALUE;
    const Offer offer{uint32_t(block->properties.location.id), 0, block->pages->sizeBytes()};
    const SharedContents contents{kSharedMagic, getpid(), PhysicalBlock::offerId(handle), block->properties};
    if (!machine().file->offer(contents.id, offer, block->pages->pages())) return CUDA_ERROR_OUT_OF_MEMORY;
    block->offered = true;
    const int file = memfd_create("vramscope-sim-memory", MFD_CLOEXEC);
    if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    if (pwrite(file, &contents, sizeof contents, 0) != ssize_t(sizeof contents)) {
        close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *static_cast<int*>(shared) = file;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemImportFromShareableHandle, CUmemGenericAllocationHandle* handle, void* shared,
        CUmemAllocationHandleType type) {
    if (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_INVALID_VALUE;
    SharedContents contents{};
    const int file = int(reinterpret_cast<intptr_t>(shared));
    if (pread(file, &contents, sizeof contents, 0) != ssize_t(sizeof contents))
        return CUDA_ERROR_INVALID_VALUE;
    if (contents.magic != kSharedMagic) return CUDA_ERROR_INVALID_VALUE;
    auto block = std::make_shared<PhysicalBlock>();
    Offer offer{};
    block->pages = machine().physical->takeUp(pid_t(contents.pid), contents.id, offer);
    if (!block->pages) return CUDA_ERROR_INVALID_VALUE;
    block->properties = contents.properties;
    *handle = enter(block);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemRelease, CUmemGenericAllocationHandle handle) {
    const BlockPointer block = findBlock(handle);
    if (!block || !block->references) return CUDA_ERROR_INVALID_VALUE;
    if (--block->references > 0) return CUDA_SUCCESS;
    // While it is mapped somewhere it can be retained again under the same handle.
    if (block.use_count() == 2) state().handles.erase(handle);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemMap, CUdeviceptr address, size_t sizeBytes, size_t offset,
        CUmemGenericAllocationHandle handle, unsigned long long flags) {
    const BlockPointer block = findBlock(handle);
    if (!block || !block->references || flags || !sizeBytes) return CUDA_ERROR_INVALID_VALUE;
    if (address % kPageBytes || sizeBytes % kPageBytes || offset % kPageBytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (sizeBytes > block->pages->sizeBytes()) return CUDA_ERROR_INVALID_VALUE;
    // An H200 maps whole handles only.
    if (offset || sizeBytes != block->pages->sizeBytes()) return CUDA_ERROR_NOT_SUPPORTED;
    if (!isReserved(address, sizeBytes) || anyMappedIn(address, sizeBytes)) return CUDA_ERROR_INVALID_VALUE;
    if (!machine().addresses->map(address, *machine().file, *block->pages, 0, sizeBytes / kPageBytes,
                                  Protection::None)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    Allocation mapping;
    mapping.address = address;
    mapping.sizeBytes = sizeBytes;
    mapping.kind = MemoryKind::Mapping;
    mapping.device = block->properties.location.id;
    mapping.pages = block->pages;
    mapping.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    allocations().add(std::move(mapping));
    state().mapped[address] = block;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemUnmap, CUdeviceptr address, size_t sizeBytes) {
    if (!sizeBytes || mappingsIn(address, sizeBytes).empty()) return CUDA_ERROR_INVALID_VALUE;
    finishContext(*currentContext());
    for (const Allocation* mapping : mappingsIn(address, sizeBytes)) {
        const uint64_t start = mapping->address;
        machine().addresses->unmap(start, mapping->sizeBytes);
        allocations().remove(start);
        const BlockPointer block = state().mapped.at(start);
        state().mapped.erase(start);
        if (!block->references && block.use_count() == 2) state().handles.erase(block->handle);
    }
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemSetAccess, CUdeviceptr address, size_t sizeBytes, const CUmemAccessDesc* descriptions,
        size_t count) {
    if (!sizeBytes || !descriptions || !count) return CUDA_ERROR_INVALID_VALUE;
    const auto mappings = mappingsIn(address, sizeBytes);
    if (mappings.empty()) return CUDA_ERROR_INVALID_VALUE;
    finishContext(*currentContext());
    for (size_t i = 0; i < count; ++i) {
        for (Allocation* mapping : mappingsIn(address, sizeBytes)) {
            if (!machine().addresses->protect(mapping->address, mapping->sizeBytes,
                                              protectionOf(descriptions[i].flags))) {
                return CUDA_ERROR_OUT_OF_MEMORY;
            }
            mapping->flags = descriptions[i].flags;
        }
    }
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemGetAccess, unsigned long long* flags, const CUmemLocation* location,
        CUdeviceptr address) {
    const Allocation* mapping = allocations().holding(address);
    if (!flags || !location || !mapping || mapping->kind != MemoryKind::Mapping)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = mapping->flags;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemRetainAllocationHandle, CUmemGenericAllocationHandle* handle, void* address) {
    const Allocation* mapping = allocations().holding(reinterpret_cast<uint64_t>(address));
    if (!handle || !mapping || mapping->kind != MemoryKind::Mapping) return CUDA_ERROR_INVALID_VALUE;
    const BlockPointer& block = state().mapped.at(mapping->address);
    ++block->references;
    *handle = block->handle;
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuMemGetAllocationGranularity, size_t* granularity, const CUmemAllocationProp* properties,
        CUmemAllocationGranularity_flags) {
    if (!granularity || !properties) return CUDA_ERROR_INVALID_VALUE;
    *granularity = kPageBytes;
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuMemGetAllocationPropertiesFromHandle, CUmemAllocationProp* properties,
        CUmemGenericAllocationHandle handle) {
    const BlockPointer block = findBlock(handle);
    if (!properties || !block) return CUDA_ERROR_INVALID_VALUE;
    *properties = block->properties;
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
