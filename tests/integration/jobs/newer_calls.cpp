// SPDX-License-Identifier: Apache-2.0
// Calls that came after the first stream-ordered pools, and those that few programs make.
#include <unistd.h>

#include "samples/programs/sample.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

// The device's pool is changed by location, between two allocations that name none.
int choosePoolByLocation(const std::vector<std::string>& /*words*/) {
    const Context context;
    CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, {context.device()}};
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = here;
    CUmemoryPool byDefault = nullptr;
    CUmemoryPool mine = nullptr;
    CUmemoryPool now = nullptr;
    CUdeviceptr address = 0;
    CU(cuMemAllocAsync(&address, kMiB, nullptr));
    CU(cuMemFreeAsync(address, nullptr));
    CU(cuMemPoolCreate(&mine, &properties));
    CU(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, mine));
    CU(cuMemGetMemPool(&now, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    CU(cuMemAllocAsync(&address, 3 * kMiB, nullptr));
    CU(cuMemFreeAsync(address, nullptr));
    CU(cuCtxSynchronize());
    CU(cuMemGetDefaultMemPool(&byDefault, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    CU(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, byDefault));
    CU(cuMemPoolDestroy(mine));
    return now == mine ? 0 : 10;
}

// Physical memory goes out as a file and comes back as another handle, which is mapped and given back.
int shareMappedMemory(const std::vector<std::string>& /*words*/) {
    const Context context;
    constexpr std::size_t kBytes = 4 * kMiB;
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {context.device()}};
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle made = 0;
    CUmemGenericAllocationHandle imported = 0;
    CUdeviceptr address = 0;
    int file = -1;
    CU(cuMemCreate(&made, kBytes, &properties, 0));
    CU(cuMemExportToShareableHandle(&file, made, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CU(cuMemImportFromShareableHandle(&imported, reinterpret_cast<void*>(static_cast<std::intptr_t>(file)),
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    ::close(file);
    CU(cuMemAddressReserve(&address, kBytes, 0, 0, 0));
    CU(cuMemMap(address, kBytes, 0, imported, 0));
    CU(cuMemSetAccess(address, kBytes, &access, 1));
    CU(cuMemsetD8(address, 0, kBytes));
    CU(cuMemUnmap(address, kBytes));
    CU(cuMemRelease(imported));
    CU(cuMemAddressFree(address, kBytes));
    CU(cuMemRelease(made));
    return 0;
}

// A mipmapped array, and copies of boxes in one batch.
int copyBoxes(const std::vector<std::string>& /*words*/) {
    const Context context;
    constexpr std::size_t kWidth = 64;
    CUDA_ARRAY3D_DESCRIPTOR shape{kWidth, kWidth, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
    CUmipmappedArray mipmapped = nullptr;
    CUarray level = nullptr;
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuMipmappedArrayCreate(&mipmapped, &shape, 3));
    CU(cuMipmappedArrayGetLevel(&level, mipmapped, 1));
    const CUdeviceptr from = allocate(kMiB);
    const CUdeviceptr to = allocate(kMiB);
    CUDA_MEMCPY3D_BATCH_OP copies[2]{};
    for (CUDA_MEMCPY3D_BATCH_OP& copy : copies) {
        copy.src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
        copy.src.op.ptr.ptr = from;
        copy.src.op.ptr.rowLength = kWidth;
        copy.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
        copy.dst.op.ptr.ptr = to;
        copy.dst.op.ptr.rowLength = 2 * kWidth;
        copy.extent = {kWidth, 8, 2};
        copy.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    }
    copies[1].dst.op.ptr.ptr = to + kMiB / 2;
    CU(cuMemcpy3DBatchAsync(2, copies, 0, stream));
    CU(cuStreamSynchronize(stream));
    CU(cuMipmappedArrayDestroy(mipmapped));
    CU(cuMemFree(from));
    CU(cuMemFree(to));
    CU(cuStreamDestroy(stream));
    return 0;
}

}  // namespace vramscope::jobs
