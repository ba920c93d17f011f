// SPDX-License-Identifier: Apache-2.0
// Physical memory that leaves as a file, pools by location, mipmapped arrays and batches of boxes.
#include <cstdint>
#include <cuda.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <vector>

#include "tests/sim/context_fixture.h"

namespace {

constexpr auto kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

class SharedMemoryTest : public ContextTest {
protected:
    CUmemGenericAllocationHandle create(CUmemAllocationHandleType type) {
        CUmemAllocationProp properties{};
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = location();
        properties.requestedHandleTypes = type;
        CUmemGenericAllocationHandle handle = 0;
        EXPECT_EQ(cuMemCreate(&handle, 2 * kMiB, &properties, 0), CUDA_SUCCESS);
        return handle;
    }
    CUdeviceptr map(CUmemGenericAllocationHandle handle) {
        const CUmemAccessDesc access{location(), CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        CUdeviceptr address = 0;
        EXPECT_EQ(cuMemAddressReserve(&address, 2 * kMiB, 0, 0, 0), CUDA_SUCCESS);
        EXPECT_EQ(cuMemMap(address, 2 * kMiB, 0, handle, 0), CUDA_SUCCESS);
        EXPECT_EQ(cuMemSetAccess(address, 2 * kMiB, &access, 1), CUDA_SUCCESS);
        return address;
    }
    void unmap(CUdeviceptr address) {
        EXPECT_EQ(cuMemUnmap(address, 2 * kMiB), CUDA_SUCCESS);
        EXPECT_EQ(cuMemAddressFree(address, 2 * kMiB), CUDA_SUCCESS);
    }
    CUmemLocation location() const { return {CU_MEM_LOCATION_TYPE_DEVICE, {m_device}}; }
    static void* asHandle(int file) { return reinterpret_cast<void*>(static_cast<intptr_t>(file)); }
};

TEST_F(SharedMemoryTest, anImportedHandleIsTheSameMemory) {
    const CUmemGenericAllocationHandle mine = create(kFile);
    const size_t freeBefore = freeBytes();
    int file = -1;
    ASSERT_EQ(cuMemExportToShareableHandle(&file, mine, kFile, 0), CUDA_SUCCESS);
    CUmemGenericAllocationHandle imported = 0;
    ASSERT_EQ(cuMemImportFromShareableHandle(&imported, asHandle(file), kFile), CUDA_SUCCESS);
    EXPECT_NE(imported, mine);
    EXPECT_EQ(freeBytes(), freeBefore) << "an import takes nothing";
    const CUdeviceptr here = map(mine);
    const CUdeviceptr there = map(imported);
    ASSERT_EQ(cuMemsetD8(here, 5, 2 * kMiB), CUDA_SUCCESS);
    unsigned char byte = 0;
    ASSERT_EQ(cuMemcpyDtoH(&byte, there + kMiB, 1), CUDA_SUCCESS);
    EXPECT_EQ(byte, 5);
    unmap(here);
    EXPECT_EQ(cuMemRelease(mine), CUDA_SUCCESS);
    ASSERT_EQ(cuMemcpyDtoH(&byte, there, 1), CUDA_SUCCESS) << "the import keeps it";
    EXPECT_EQ(byte, 5);
    unmap(there);
    EXPECT_EQ(cuMemRelease(imported), CUDA_SUCCESS);
    EXPECT_EQ(freeBytes(), freeBefore + 2 * kMiB);
    close(file);
}

TEST_F(SharedMemoryTest, onlyWhatWasMadeForItIsShared) {
    const CUmemGenericAllocationHandle own = create(CU_MEM_HANDLE_TYPE_NONE);
    int file = -1;
    EXPECT_EQ(cuMemExportToShareableHandle(&file, own, kFile, 0), CUDA_ERROR_INVALID_VALUE);
    CUmemGenericAllocationHandle imported = 0;
    EXPECT_EQ(cuMemImportFromShareableHandle(&imported, asHandle(-1), kFile), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemRelease(own), CUDA_SUCCESS);
}

TEST_F(SharedMemoryTest, poolsAreChosenByLocation) {
    CUmemLocation here = location();
    CUmemLocation host{CU_MEM_LOCATION_TYPE_HOST, {0}};
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = here;
    CUmemoryPool own = nullptr;
    CUmemoryPool mine = nullptr;
    CUmemoryPool now = nullptr;
    ASSERT_EQ(cuMemGetDefaultMemPool(&own, &here, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_SUCCESS);
    ASSERT_EQ(cuMemPoolCreate(&mine, &properties), CUDA_SUCCESS);
    ASSERT_EQ(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, mine), CUDA_SUCCESS);
    ASSERT_EQ(cuDeviceGetMemPool(&now, m_device), CUDA_SUCCESS);
    EXPECT_EQ(now, mine);
    EXPECT_EQ(cuMemSetMemPool(&host, CU_MEM_ALLOCATION_TYPE_PINNED, mine), CUDA_ERROR_INVALID_VALUE);
    ASSERT_EQ(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, own), CUDA_SUCCESS);
    ASSERT_EQ(cuMemGetMemPool(&now, &here, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_SUCCESS);
    EXPECT_EQ(now, own);
    EXPECT_EQ(cuMemPoolDestroy(mine), CUDA_SUCCESS);
}

TEST_F(SharedMemoryTest, levelsOfAMipmappedArrayGetSmaller) {
    CUDA_ARRAY3D_DESCRIPTOR shape{16, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray mipmapped = nullptr;
    ASSERT_EQ(cuMipmappedArrayCreate(&mipmapped, &shape, 3), CUDA_SUCCESS);
    CUarray level = nullptr;
    ASSERT_EQ(cuMipmappedArrayGetLevel(&level, mipmapped, 2), CUDA_SUCCESS);
    CUDA_ARRAY_DESCRIPTOR smallest{};
    ASSERT_EQ(cuArrayGetDescriptor(&smallest, level), CUDA_SUCCESS);
    EXPECT_EQ(smallest.Width, 4u);
    EXPECT_EQ(smallest.Height, 2u);
    EXPECT_EQ(cuMipmappedArrayGetLevel(&level, mipmapped, 3), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMipmappedArrayDestroy(mipmapped), CUDA_SUCCESS);
    EXPECT_EQ(cuMipmappedArrayDestroy(mipmapped), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(SharedMemoryTest, aBatchCopiesBoxes) {
    CUstream stream = nullptr;
    ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    const CUdeviceptr from = allocate(4096);
    const CUdeviceptr to = allocate(4096);
    ASSERT_EQ(cuMemsetD8(from, 3, 4096), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD8(to, 0, 4096), CUDA_SUCCESS);
    CUDA_MEMCPY3D_BATCH_OP copy{};
    copy.src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    copy.src.op.ptr.ptr = from;
    copy.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    copy.dst.op.ptr.ptr = to;
    copy.dst.op.ptr.rowLength = 64;
    copy.extent = {16, 2, 1};
    ASSERT_EQ(cuMemcpy3DBatchAsync(1, &copy, 0, stream), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    std::vector<unsigned char> bytes(4096);
    ASSERT_EQ(cuMemcpyDtoH(bytes.data(), to, bytes.size()), CUDA_SUCCESS);
    EXPECT_EQ(bytes[15], 3);
    EXPECT_EQ(bytes[16], 0);
    EXPECT_EQ(bytes[64 + 15], 3);
    EXPECT_EQ(bytes[128], 0);
    EXPECT_EQ(cuMemcpy3DBatchAsync(1, &copy, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    cuStreamDestroy(stream);
}

}  // namespace
