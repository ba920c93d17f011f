// SPDX-License-Identifier: Apache-2.0
#include "collector/api_names/api_names.h"

#include <cuda.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>
#include <gtest/gtest.h>
#include <set>

#include "formats/record.h"

namespace vramscope::api_names {
namespace {

TEST(ApiNames, VersionsAndStreamVariantsAreOneCall) {
    EXPECT_EQ(driverCallName(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2), "cuMemAlloc");
    EXPECT_EQ(driverCallName(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc), "cuMemAlloc");
    EXPECT_EQ(driverCallName(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2_ptds), "cuMemcpyHtoD");
    EXPECT_EQ(driverCallName(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz), "cuLaunchKernel");
    EXPECT_EQ(runtimeCallName(CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020), "cudaFreeHost");
    EXPECT_EQ(runtimeCallName(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_ptds_v7000), "cudaMemcpy");
}

TEST(ApiNames, EveryIdOfTheHeadersHasAName) {
    std::set<std::string_view> names;
    for (std::uint16_t id = 1; id < CUPTI_DRIVER_TRACE_CBID_SIZE; ++id) {
        const std::string_view name = driverCallName(id);
        EXPECT_TRUE(name.starts_with("cu") || name.starts_with("driver call ")) << id << name;
        EXPECT_FALSE(name.ends_with("_v2") || name.ends_with("_ptsz") || name.ends_with("_ptds")) << name;
        if (name.starts_with("cu")) names.insert(name);
    }
    EXPECT_GT(names.size(), 400U);
    for (std::uint16_t id = 1; id < CUPTI_RUNTIME_TRACE_CBID_SIZE; ++id) {
        const std::string_view name = runtimeCallName(id);
        EXPECT_TRUE(name.starts_with("cuda") || name.starts_with("runtime call ")) << id << name;
    }
}

TEST(ApiNames, HeaderFieldNamesEitherDomain) {
    EXPECT_EQ(callName(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2), "cuMemFree");
    EXPECT_EQ(callName(formats::kRuntimeApi | CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020), "cudaMalloc");
    EXPECT_EQ(callName(0), "");
}

TEST(ApiNames, UnknownNumbersAreSaid) {
    EXPECT_EQ(driverCallName(30000), "driver call 30000");
    EXPECT_EQ(callName(formats::kRuntimeApi | 30000), "runtime call 30000");
    EXPECT_EQ(cudaResultName(950), "CUDA error 950");
    EXPECT_EQ(runtimeErrorName(65535), "cudaError 65535");
    EXPECT_EQ(driverCallName(30000).data(), driverCallName(30000).data());
}

TEST(ApiNames, PerThreadVariantsAreKnown) {
    EXPECT_TRUE(usesPerThreadStream(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz));
    EXPECT_TRUE(usesPerThreadStream(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2_ptds));
    EXPECT_FALSE(usesPerThreadStream(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
    EXPECT_FALSE(usesPerThreadStream(formats::kRuntimeApi | CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz));
    EXPECT_FALSE(usesPerThreadStream(30000));
}

TEST(ApiNames, Errors) {
    EXPECT_EQ(cudaResultName(CUDA_SUCCESS), "CUDA_SUCCESS");
    EXPECT_EQ(cudaResultName(CUDA_ERROR_OUT_OF_MEMORY), "CUDA_ERROR_OUT_OF_MEMORY");
    EXPECT_EQ(cudaResultName(CUDA_ERROR_ILLEGAL_ADDRESS), "CUDA_ERROR_ILLEGAL_ADDRESS");
    EXPECT_EQ(cudaResultName(CUDA_ERROR_UNKNOWN), "CUDA_ERROR_UNKNOWN");
    EXPECT_EQ(runtimeErrorName(0), "cudaSuccess");
#if __has_include(<driver_types.h>)
    EXPECT_EQ(runtimeErrorName(2), "cudaErrorMemoryAllocation");
    EXPECT_EQ(runtimeErrorName(999), "cudaErrorUnknown");
#else
    EXPECT_EQ(runtimeErrorName(2), "cudaError 2");
#endif
}

}  // namespace
}  // namespace vramscope::api_names
