// SPDX-License-Identifier: Apache-2.0
// Pinned and registered memory, pools, virtual memory management, arrays: what each call allows and what it
// costs.
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <gtest/gtest.h>
#include <vector>

#include "tests/sim/kernel_fixture.h"

namespace {

class MemoryKindsTest : public KernelTest {
protected:
    void SetUp() override {
        KernelTest::SetUp();
        ASSERT_EQ(cuStreamCreate(&m_stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
        ASSERT_EQ(cuDeviceGetDefaultMemPool(&m_pool, m_device), CUDA_SUCCESS);
        setThreshold(m_pool, 0);
    }
    static cuuint64_t attribute(CUmemoryPool pool, CUmemPool_attribute name) {
        cuuint64_t value = 0;
        EXPECT_EQ(cuMemPoolGetAttribute(pool, name, &value), CUDA_SUCCESS);
        return value;
    }
    static void setThreshold(CUmemoryPool pool, cuuint64_t value) {
        EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value), CUDA_SUCCESS);
    }
    CUmemGenericAllocationHandle create(size_t sizeBytes) {
        CUmemAllocationProp properties{};
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {m_device}};
        CUmemGenericAllocationHandle handle = 0;
        EXPECT_EQ(cuMemCreate(&handle, sizeBytes, &properties, 0), CUDA_SUCCESS);
        return handle;
    }
    void allow(CUdeviceptr address, size_t sizeBytes, CUmemAccess_flags flags) {
        CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, {m_device}}, flags};
        EXPECT_EQ(cuMemSetAccess(address, sizeBytes, &access, 1), CUDA_SUCCESS);
    }

    CUstream m_stream = nullptr;
    CUmemoryPool m_pool = nullptr;
};

TEST_F(MemoryKindsTest, eachFreeTakesItsOwnKindOnly) {
    void* pinned = nullptr;
    ASSERT_EQ(cuMemHostAlloc(&pinned, 1000, CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
    const CUdeviceptr device = allocate(1000);
    EXPECT_EQ(cuMemFree(reinterpret_cast<CUdeviceptr>(pinned)), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFreeHost(reinterpret_cast<void*>(device)), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostUnregister(pinned), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryKindsTest, registeredMemoryIsTheProgramsOwn) {
    std::vector<char> bytes(10000);
    ASSERT_EQ(cuMemHostRegister(bytes.data(), bytes.size(), 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemHostRegister(bytes.data(), 10, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    CUdeviceptr alias = 0;
    EXPECT_EQ(cuMemHostGetDevicePointer(&alias, bytes.data() + 5, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8(alias, 0x42, 100), CUDA_SUCCESS);
    EXPECT_EQ(bytes[5], 0x42);
    EXPECT_EQ(cuMemHostUnregister(bytes.data()), CUDA_SUCCESS);
    EXPECT_EQ(cuMemHostUnregister(bytes.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(MemoryKindsTest, aPoolKeepsWhatItsThresholdAllows) {
    for (const bool keep : {false, true}) {
        setThreshold(m_pool, keep ? ~cuuint64_t(0) : 0);
        CUdeviceptr block = 0;
        ASSERT_EQ(cuMemAllocAsync(&block, 50 * kMiB, m_stream), CUDA_SUCCESS);
        EXPECT_EQ(attribute(m_pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 50 * kMiB);
        EXPECT_EQ(attribute(m_pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 64 * kMiB);
        ASSERT_EQ(cuMemFreeAsync(block, m_stream), CUDA_SUCCESS);
        EXPECT_EQ(attribute(m_pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0u);
        EXPECT_EQ(attribute(m_pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 64 * kMiB);
        ASSERT_EQ(cuStreamSynchronize(m_stream), CUDA_SUCCESS);
        EXPECT_EQ(attribute(m_pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), keep ? 64 * kMiB : 0);
    }
    EXPECT_EQ(cuMemPoolTrimTo(m_pool, 0), CUDA_SUCCESS);
    EXPECT_EQ(attribute(m_pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
}

TEST_F(MemoryKindsTest, aPoolGrowsAndShrinksInChunks) {
    // An H200 reserved 32, 64 and 160 MiB here, and kept two of four chunks below.
    CUdeviceptr blocks[3];
    const size_t sizes[] = {1, 33 * kMiB, 100 * kMiB};
    const size_t reserved[] = {32, 64, 160};
    size_t used = 0;
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(cuMemAllocAsync(&blocks[i], sizes[i], m_stream), CUDA_SUCCESS);
        used += sizes[i];
        EXPECT_EQ(attribute(m_pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), reserved[i] * kMiB);
        EXPECT_EQ(attribute(m_pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), used);
    }
    for (CUdeviceptr block : blocks)
        cuMemFreeAsync(block, m_stream);
    cuStreamSynchronize(m_stream);
    EXPECT_EQ(attribute(m_pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);

    std::vector<CUdeviceptr> small(16);
    for (CUdeviceptr& block : small)
        cuMemAllocAsync(&block, 8 * kMiB, m_stream);
    for (size_t i = 0; i < small.size(); ++i) {
        if (i != 0 && i != 5) cuMemFreeAsync(small[i], m_stream);
    }
    cuStreamSynchronize(m_stream);
    EXPECT_EQ(attribute(m_pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 64 * kMiB);
    cuMemFreeAsync(small[0], m_stream);
    cuMemFreeAsync(small[5], m_stream);
    cuStreamSynchronize(m_stream);
}

TEST_F(MemoryKindsTest, theCacheOfAPoolServesWhoeverNeedsIt) {
    setThreshold(m_pool, ~cuuint64_t(0));
    const size_t before = freeBytes();
    std::vector<CUdeviceptr> blocks(8);
    for (CUdeviceptr& block : blocks)
        ASSERT_EQ(cuMemAllocAsync(&block, 64 * kMiB, m_stream), CUDA_SUCCESS);
    for (CUdeviceptr block : blocks)
        ASSERT_EQ(cuMemFreeAsync(block, m_stream), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamSynchronize(m_stream), CUDA_SUCCESS);
    EXPECT_EQ(before - freeBytes(), 512 * kMiB);
    // More than the device reports free: the driver takes the cache back.
    CUdeviceptr large = allocate(before - 64 * kMiB);
    EXPECT_EQ(attribute(m_pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
    cuMemFree(large);
    // One large block out of the holes that many small ones left, with nothing else free.
    for (CUdeviceptr& block : blocks)
        ASSERT_EQ(cuMemAllocAsync(&block, 64 * kMiB, m_stream), CUDA_SUCCESS);
    const CUdeviceptr rest = allocate(freeBytes());
    for (CUdeviceptr block : blocks)
        cuMemFreeAsync(block, m_stream);
    cuStreamSynchronize(m_stream);
    EXPECT_EQ(cuMemAllocAsync(&large, 400 * kMiB, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFreeAsync(large, m_stream), CUDA_SUCCESS);
    cuMemFree(rest);
    setThreshold(m_pool, 0);
}

TEST_F(MemoryKindsTest, aStreamsOwnFreeIsReusedAtOnceAnothersOnlyWhenDone) {
    CUstream other = nullptr;
    cuStreamCreate(&other, CU_STREAM_NON_BLOCKING);
    CUdeviceptr first = 0;
    CUdeviceptr again = 0;
    const CUdeviceptr flag = allocate(4);
    cuMemsetD32(flag, 0, 1);
    cuMemAllocAsync(&first, kMiB, m_stream);
    // While the stream is held up, its order has not come to the free.
    cuStreamWaitValue32(m_stream, flag, 1, CU_STREAM_WAIT_VALUE_EQ);
    cuMemFreeAsync(first, m_stream);
    cuMemAllocAsync(&again, kMiB, other);
    EXPECT_NE(again, first);
    cuMemFreeAsync(again, other);
    cuMemAllocAsync(&again, kMiB, m_stream);
    EXPECT_EQ(again, first);
    cuStreamWriteValue32(other, flag, 1, 0);
    cuStreamSynchronize(m_stream);
    EXPECT_EQ(cuMemFreeAsync(again, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFreeAsync(again, m_stream), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryKindsTest, bothFreesTakeBothKinds) {
    CUdeviceptr ordered = 0;
    cuMemAllocAsync(&ordered, kMiB, m_stream);
    cuStreamSynchronize(m_stream);
    EXPECT_EQ(cuMemFree(ordered), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFreeAsync(allocate(kMiB), m_stream), CUDA_SUCCESS);
}

TEST_F(MemoryKindsTest, aPoolOfTheProgramsOwnHasALimitAndAnEnd) {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {m_device}};
    properties.maxSize = 64 * kMiB;
    CUmemoryPool pool = nullptr;
    ASSERT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
    CUdeviceptr block = 0;
    CUdeviceptr none = 0;
    EXPECT_EQ(cuMemAllocFromPoolAsync(&block, 40 * kMiB, pool, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAllocFromPoolAsync(&none, 40 * kMiB, pool, m_stream), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(cuMemFreeAsync(block, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
    EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPoolDestroy(m_pool), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryKindsTest, physicalMemoryLivesUntilReleasedAndUnmapped) {
    const size_t before = freeBytes();
    const CUmemGenericAllocationHandle handle = create(64 * kMiB);
    CUdeviceptr address = 0;
    ASSERT_EQ(cuMemAddressReserve(&address, 128 * kMiB, 0, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemMap(address, 64 * kMiB, 0, handle, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8(address, 1, 64), CUDA_ERROR_INVALID_VALUE) << "no access yet";
    allow(address, 64 * kMiB, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    EXPECT_EQ(cuMemsetD8(address, 1, 64 * kMiB), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAddressFree(address, 128 * kMiB), CUDA_ERROR_INVALID_VALUE) << "still mapped";
    EXPECT_EQ(cuMemUnmap(address, 64 * kMiB), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAddressFree(address, 128 * kMiB), CUDA_SUCCESS);
    EXPECT_EQ(before - freeBytes(), 64 * kMiB) << "the handle keeps it";
    EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
    EXPECT_EQ(freeBytes(), before);
    EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryKindsTest, twoMappingsOfOneHandleAreTheSameBytes) {
    const CUmemGenericAllocationHandle handle = create(4 * kMiB);
    CUdeviceptr base = 0;
    ASSERT_EQ(cuMemAddressReserve(&base, 8 * kMiB, 0, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemMap(base, 4 * kMiB, 0, handle, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemMap(base + 4 * kMiB, 2 * kMiB, 0, handle, 0), CUDA_ERROR_NOT_SUPPORTED) << "a part";
    ASSERT_EQ(cuMemMap(base + 4 * kMiB, 4 * kMiB, 0, handle, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemMap(base, 4 * kMiB, 0, handle, 0), CUDA_ERROR_INVALID_VALUE) << "taken";
    EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
    allow(base, 8 * kMiB, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    cuMemsetD8(base, 0, 4 * kMiB);
    cuMemsetD8(base + 4 * kMiB, 0x33, 1);
    unsigned char seen = 0;
    cuMemcpyDtoH(&seen, base, 1);
    EXPECT_EQ(seen, 0x33);
    CUmemGenericAllocationHandle retained = 0;
    EXPECT_EQ(cuMemRetainAllocationHandle(&retained, reinterpret_cast<void*>(base + 5)), CUDA_SUCCESS);
    EXPECT_EQ(retained, handle);
    EXPECT_EQ(cuMemRelease(retained), CUDA_SUCCESS);
    EXPECT_EQ(cuMemUnmap(base, 2 * kMiB), CUDA_ERROR_INVALID_VALUE) << "cuts a mapping";
    EXPECT_EQ(cuMemUnmap(base, 8 * kMiB), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAddressFree(base, 8 * kMiB), CUDA_SUCCESS);
    EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryKindsTest, moreThanTheDeviceHasIsRefused) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {m_device}};
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_EQ(cuMemCreate(&handle, size_t(4) << 40, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(MemoryKindsTest, arraysHoldWhatIsCopiedIntoThem) {
    CUDA_ARRAY_DESCRIPTOR descriptor{16, 8, CU_AD_FORMAT_FLOAT, 1};
    CUarray array = nullptr;
    ASSERT_EQ(cuArrayCreate(&array, &descriptor), CUDA_SUCCESS);
    std::vector<float> in(16 * 8);
    std::vector<float> out(16 * 8);
    for (size_t i = 0; i < in.size(); ++i)
        in[i] = float(i);
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = in.data();
    copy.srcPitch = 64;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = 64;
    copy.Height = 8;
    ASSERT_EQ(cuMemcpy2D(&copy), CUDA_SUCCESS);
    ASSERT_EQ(cuMemcpyAtoH(out.data(), array, 0, 64), CUDA_SUCCESS);
    EXPECT_EQ(out[15], 15.f);

    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC description{};
    CUtexObject texture = 0;
    EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &description, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_SUCCESS);
    EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_SUCCESS) << "nobody notices";
    EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
    EXPECT_EQ(cuArrayDestroy(array), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_F(MemoryKindsTest, pitchedRowsAreCopiedAndSet) {
    CUdeviceptr image = 0;
    size_t pitch = 0;
    ASSERT_EQ(cuMemAllocPitch(&image, &pitch, 100, 10, 4), CUDA_SUCCESS);
    EXPECT_EQ(pitch % 512, 0u);
    ASSERT_EQ(cuMemsetD8(image, 0, pitch * 10), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD2D8(image, pitch, 7, 100, 10), CUDA_SUCCESS);
    std::vector<unsigned char> rows(pitch * 10);
    cuMemcpyDtoH(rows.data(), image, rows.size());
    EXPECT_EQ(rows[pitch + 99], 7);
    EXPECT_EQ(rows[pitch + 100], 0);
}

// Last: the error is sticky until the context ends.
TEST_F(MemoryKindsTest, zAKernelMayReadButNotWriteAReadOnlyMapping) {
    const CUmemGenericAllocationHandle handle = create(2 * kMiB);
    CUdeviceptr address = 0;
    ASSERT_EQ(cuMemAddressReserve(&address, 2 * kMiB, 0, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemMap(address, 2 * kMiB, 0, handle, 0), CUDA_SUCCESS);
    allow(address, 2 * kMiB, CU_MEM_ACCESS_FLAGS_PROT_READ);
    char byte = 0;
    EXPECT_EQ(cuMemcpyDtoH(&byte, address, 1), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoD(address, &byte, 1), CUDA_ERROR_INVALID_VALUE);
    float value = 1.f;
    int count = 1;
    void* arguments[] = {&address, &value, &count};
    ASSERT_EQ(cuLaunchKernel(kernel("fill"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

}  // namespace
