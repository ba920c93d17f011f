// SPDX-License-Identifier: Apache-2.0
// The physical model, against what an H200 showed (docs: samples/sim/README.md).
#include <algorithm>
#include <cstring>
#include <cuda.h>
#include <gtest/gtest.h>
#include <vector>

#include "tests/sim/context_fixture.h"

namespace {

class MemoryTest : public ContextTest {};

std::vector<CUdeviceptr> allocateMany(size_t count, size_t sizeBytes) {
    std::vector<CUdeviceptr> blocks(count);
    for (CUdeviceptr& block : blocks)
        EXPECT_EQ(cuMemAlloc(&block, sizeBytes), CUDA_SUCCESS);
    return blocks;
}

void freeAll(const std::vector<CUdeviceptr>& blocks) {
    for (CUdeviceptr block : blocks)
        EXPECT_EQ(cuMemFree(block), CUDA_SUCCESS);
}

TEST_F(MemoryTest, freedAddressComesBackAtOnce) {
    for (size_t sizeBytes : {size_t(512), 512 * 1024ul, 2 * kMiB, 64 * kMiB}) {
        const CUdeviceptr keep = allocate(sizeBytes);
        const CUdeviceptr first = allocate(sizeBytes);
        for (int i = 0; i < 39; ++i) {
            ASSERT_EQ(cuMemFree(first), CUDA_SUCCESS);
            ASSERT_EQ(allocate(sizeBytes), first);
        }
        cuMemFree(first);
        cuMemFree(keep);
    }
}

TEST_F(MemoryTest, oneByteOverAPageTakesTwoPages) {
    const size_t before = freeBytes();
    const auto blocks = allocateMany(1000, 2 * kMiB + 1);
    EXPECT_EQ(before - freeBytes(), 4000 * kMiB);
    freeAll(blocks);
    EXPECT_EQ(freeBytes(), before);
}

TEST_F(MemoryTest, smallBlocksShareAPageButNeverStraddleOne) {
    const size_t before = freeBytes();
    const auto blocks = allocateMany(1000, 300 * 1024);
    EXPECT_EQ(before - freeBytes(), 334 * kMiB);
    freeAll(blocks);
    const auto uneven = allocateMany(1000, kMiB + 1);
    EXPECT_EQ(before - freeBytes(), 2000 * kMiB);
    freeAll(uneven);
}

TEST_F(MemoryTest, halfFreedSmallBlocksGiveNothingBack) {
    const size_t before = freeBytes();
    const auto blocks = allocateMany(2000, kMiB);
    const size_t full = freeBytes();
    EXPECT_EQ(before - full, 2000 * kMiB);
    for (size_t i = 0; i < blocks.size(); i += 2)
        EXPECT_EQ(cuMemFree(blocks[i]), CUDA_SUCCESS);
    EXPECT_EQ(freeBytes(), full);
    for (size_t i = 1; i < blocks.size(); i += 2)
        EXPECT_EQ(cuMemFree(blocks[i]), CUDA_SUCCESS);
    EXPECT_EQ(freeBytes(), before);
}

TEST_F(MemoryTest, gapsBetweenPlainAllocationsAreNoHoles) {
    std::vector<CUdeviceptr> blocks;
    CUdeviceptr block = 0;
    while (cuMemAlloc(&block, 64 * kMiB) == CUDA_SUCCESS)
        blocks.push_back(block);
    ASSERT_GT(blocks.size(), 60u);
    const size_t pairs = blocks.size() / 2;
    for (size_t i = 0; i < pairs; ++i)
        EXPECT_EQ(cuMemFree(blocks[2 * i]), CUDA_SUCCESS);
    const CUdeviceptr large = allocate(pairs * 64 * kMiB);
    // Its pages are scattered and yet one range: write and read across the seams.
    std::vector<unsigned char> bytes(8 * kMiB, 0);
    EXPECT_EQ(cuMemsetD8(large, 0x5a, pairs * 64 * kMiB), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoH(bytes.data(), large + 60 * kMiB, bytes.size()), CUDA_SUCCESS);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0x5a), std::ptrdiff_t(bytes.size()));
    // And none of them is a page of a block that was kept.
    EXPECT_EQ(cuMemsetD8(blocks[1], 0x11, 64 * kMiB), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoH(bytes.data(), large + 60 * kMiB, bytes.size()), CUDA_SUCCESS);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0x5a), std::ptrdiff_t(bytes.size()));
}

TEST_F(MemoryTest, refusesWhatTheRealDriverRefuses) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAlloc(&address, size_t(1) << 42), CUDA_ERROR_OUT_OF_MEMORY);
    address = allocate(1024);
    EXPECT_EQ(cuMemFree(address + 512), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFree(0), CUDA_SUCCESS);
    int onStack = 0;
    EXPECT_EQ(cuMemFree(reinterpret_cast<CUdeviceptr>(&onStack)), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyHtoD(address, &onStack, sizeof onStack), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, copiesAndSetsMoveTheBytes) {
    const CUdeviceptr a = allocate(4096);
    const CUdeviceptr b = allocate(4096);
    const char text[] = "who wrote this";
    char back[sizeof text] = {};
    EXPECT_EQ(cuMemcpyHtoD(a + 100, text, sizeof text), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoD(b, a + 100, sizeof text), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8(a, 0, 4096), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoH(back, b, sizeof back), CUDA_SUCCESS);
    EXPECT_STREQ(back, text);
    EXPECT_EQ(cuMemsetD32(b, 0x01020304, 4), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoH(back, b, 4), CUDA_SUCCESS);
    EXPECT_EQ(back[0], 4);
    EXPECT_EQ(back[3], 1);
}

TEST_F(MemoryTest, addressRangeTellsWhatWasAskedFor) {
    const CUdeviceptr block = allocate(1000);
    CUdeviceptr base = 0;
    size_t sizeBytes = 0;
    EXPECT_EQ(cuMemGetAddressRange(&base, &sizeBytes, block + 999), CUDA_SUCCESS);
    EXPECT_EQ(base, block);
    EXPECT_EQ(sizeBytes, 1000u);
    EXPECT_EQ(cuMemGetAddressRange(&base, &sizeBytes, block + 1000), CUDA_ERROR_NOT_FOUND);
}

TEST_F(MemoryTest, contextsTakeTheirMemoryAndAllInItWithThem) {
    const size_t before = freeBytes();
    CUcontext second = nullptr;
    ASSERT_EQ(cuCtxCreate(&second, nullptr, 0, m_device), CUDA_SUCCESS);
    const size_t withContext = freeBytes();
    EXPECT_EQ(before - withContext, 300 * kMiB);
    const CUdeviceptr lost = allocate(100 * kMiB);
    EXPECT_EQ(cuCtxDestroy(second), CUDA_SUCCESS);
    EXPECT_EQ(freeBytes(), before);
    EXPECT_EQ(cuMemFree(lost), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuCtxSetCurrent(second), CUDA_SUCCESS);
    CUdeviceptr none = 0;
    EXPECT_EQ(cuMemAlloc(&none, 1), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

}  // namespace
