// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cuda.h>
#include <gtest/gtest.h>

inline constexpr size_t kMiB = size_t(1) << 20;

/// Each test runs in the primary context of device 0.
class ContextTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
        ASSERT_EQ(cuDeviceGet(&m_device, 0), CUDA_SUCCESS);
        ASSERT_EQ(cuDevicePrimaryCtxRetain(&m_context, m_device), CUDA_SUCCESS);
        ASSERT_EQ(cuCtxSetCurrent(m_context), CUDA_SUCCESS);
    }
    void TearDown() override {
        cuCtxSetCurrent(nullptr);
        EXPECT_EQ(cuDevicePrimaryCtxRelease(m_device), CUDA_SUCCESS);
    }

    static size_t freeBytes() {
        size_t free = 0;
        size_t total = 0;
        EXPECT_EQ(cuMemGetInfo(&free, &total), CUDA_SUCCESS);
        return free;
    }
    static CUdeviceptr allocate(size_t sizeBytes) {
        CUdeviceptr address = 0;
        EXPECT_EQ(cuMemAlloc(&address, sizeBytes), CUDA_SUCCESS);
        return address;
    }

    CUdevice m_device = 0;
    CUcontext m_context = nullptr;
};
