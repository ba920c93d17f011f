// SPDX-License-Identifier: Apache-2.0
// Kernels really run; parameters, layouts, modules and libraries as the driver gives them.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <vector>

#include "tests/sim/kernel_fixture.h"

namespace {

std::vector<float> floatsAt(CUdeviceptr address, size_t count) {
    std::vector<float> values(count);
    EXPECT_EQ(cuMemcpyDtoH(values.data(), address, count * sizeof(float)), CUDA_SUCCESS);
    return values;
}

TEST_F(KernelTest, writesTheElementsItIsGiven) {
    CUdeviceptr data = allocate(100 * sizeof(float));
    cuMemsetD8(data, 0, 100 * sizeof(float));
    float value = 2.5f;
    int count = 77;
    void* arguments[] = {&data, &value, &count};
    ASSERT_EQ(cuLaunchKernel(kernel("fill"), 4, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr),
              CUDA_SUCCESS);
    value = 9;  // the launch has taken its copy
    const auto values = floatsAt(data, 100);
    EXPECT_EQ(std::count(values.begin(), values.end(), 2.5f), 77);
    EXPECT_EQ(values[77], 0.f);
}

TEST_F(KernelTest, takesPackedArguments) {
    const CUdeviceptr data = allocate(64);
    struct {
        CUdeviceptr data;
        float value;
        int count;
    } packed{data, 4.f, 16};
    size_t size = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    ASSERT_EQ(cuLaunchKernel(kernel("fill"), 1, 1, 1, 16, 1, 1, 0, nullptr, nullptr, extra), CUDA_SUCCESS);
    EXPECT_EQ(floatsAt(data, 16).back(), 4.f);
}

TEST_F(KernelTest, extendedAndCooperativeLaunchesRunToo) {
    CUdeviceptr data = allocate(64);
    float value = 1.f;
    int count = 16;
    void* arguments[] = {&data, &value, &count};
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 16;
    ASSERT_EQ(cuLaunchKernelEx(&config, kernel("fill"), arguments, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(floatsAt(data, 16)[15], 1.f);
    value = 2.f;
    ASSERT_EQ(cuLaunchCooperativeKernel(kernel("fill"), 1, 1, 1, 16, 1, 1, 0, nullptr, arguments),
              CUDA_SUCCESS);
    EXPECT_EQ(floatsAt(data, 16)[15], 2.f);
}

TEST_F(KernelTest, threadsWaitForEachOtherAtBarriers) {
    constexpr int kBlocks = 3;
    std::vector<int> values(64 * kBlocks);
    std::iota(values.begin(), values.end(), 1);
    CUdeviceptr input = allocate(values.size() * sizeof(int));
    CUdeviceptr sums = allocate(kBlocks * sizeof(int));
    cuMemcpyHtoD(input, values.data(), values.size() * sizeof(int));
    void* arguments[] = {&input, &sums};
    ASSERT_EQ(cuLaunchKernel(kernel("sumBlocks"), kBlocks, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr),
              CUDA_SUCCESS);
    int result[kBlocks];
    cuMemcpyDtoH(result, sums, sizeof result);
    for (int block = 0; block < kBlocks; ++block)
        EXPECT_EQ(result[block], 64 * 65 / 2 + 64 * 64 * block);

    void* reverseArguments[] = {&input};
    ASSERT_EQ(cuLaunchKernel(kernel("reverse"), 1, 1, 1, 64, 1, 1, 64 * sizeof(int), nullptr,
                             reverseArguments, nullptr),
              CUDA_SUCCESS);
    cuMemcpyDtoH(values.data(), input, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i)
        EXPECT_EQ(values[size_t(i)], 64 - i);
}

TEST_F(KernelTest, layoutsFollowTheAbi) {
    const size_t expected[][2] = {{0, 8}, {8, 8}, {16, 1}, {24, 8}, {32, 2}};
    const CUfunction function = kernel("append");
    for (size_t i = 0; i < 5; ++i) {
        size_t offset = 0;
        size_t size = 0;
        ASSERT_EQ(cuFuncGetParamInfo(function, i, &offset, &size), CUDA_SUCCESS);
        EXPECT_EQ(offset, expected[i][0]);
        EXPECT_EQ(size, expected[i][1]);
    }
    size_t offset = 0;
    EXPECT_EQ(cuFuncGetParamInfo(function, 5, &offset, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuKernelGetParamInfo(reinterpret_cast<CUkernel>(function), 0, &offset, nullptr),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuFuncGetParamInfo(kernel("noArguments"), 0, &offset, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(KernelTest, aLibrarysKernelServesAsAFunction) {
    std::ifstream file(modulePath(), std::ios::binary);
    const std::string image(std::istreambuf_iterator<char>(file), {});
    CUlibrary library = nullptr;
    CUkernel fill = nullptr;
    ASSERT_EQ(cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
              CUDA_SUCCESS);
    ASSERT_EQ(cuLibraryGetKernel(&fill, library, "fill"), CUDA_SUCCESS);
    size_t offset = 0;
    size_t size = 0;
    EXPECT_EQ(cuFuncGetParamInfo(reinterpret_cast<CUfunction>(fill), 0, &offset, &size),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuKernelGetParamInfo(fill, 1, &offset, &size), CUDA_SUCCESS);
    EXPECT_EQ(offset, 8u);
    CUdeviceptr data = allocate(64);
    float value = 3.f;
    int count = 16;
    void* arguments[] = {&data, &value, &count};
    EXPECT_EQ(
        cuLaunchKernel(reinterpret_cast<CUfunction>(fill), 1, 1, 1, 16, 1, 1, 0, nullptr, arguments, nullptr),
        CUDA_SUCCESS);
    EXPECT_EQ(floatsAt(data, 16)[3], 3.f);
    EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
    EXPECT_EQ(cuKernelGetParamInfo(fill, 1, &offset, &size), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(KernelTest, eachLoadHasVariablesOfItsOwn) {
    CUmodule other = nullptr;
    ASSERT_EQ(cuModuleLoad(&other, modulePath().c_str()), CUDA_SUCCESS);
    CUdeviceptr mine = 0;
    CUdeviceptr its = 0;
    size_t size = 0;
    ASSERT_EQ(cuModuleGetGlobal(&mine, &size, m_module, "callCount"), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetGlobal(&its, &size, other, "callCount"), CUDA_SUCCESS);
    EXPECT_EQ(size, sizeof(int));
    EXPECT_NE(mine, its);
    int count = 5;
    EXPECT_EQ(cuMemcpyHtoD(its, &count, sizeof count), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoH(&count, mine, sizeof count), CUDA_SUCCESS);
    EXPECT_EQ(count, 0);
    EXPECT_EQ(cuModuleUnload(other), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoH(&count, its, sizeof count), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(KernelTest, foreignImagesAreRefused) {
    CUmodule module = nullptr;
    const std::string fatbin("\x50\xed\x55\xba\x01\x00\x10\x00", 8);
    EXPECT_EQ(cuModuleLoadData(&module, fatbin.data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_EQ(cuModuleLoadData(&module, "no image at all"), CUDA_ERROR_INVALID_IMAGE);
    EXPECT_EQ(cuModuleLoad(&module, "/no/such/file"), CUDA_ERROR_FILE_NOT_FOUND);
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, m_module, "absent"), CUDA_ERROR_NOT_FOUND);
}

// Last: the error is sticky until the context ends.
TEST_F(KernelTest, zIllegalAddressesEndTheContext) {
    const CUdeviceptr block = allocate(2 * kMiB);
    ASSERT_EQ(cuMemFree(block), CUDA_SUCCESS);
    CUdeviceptr stale = block;
    float value = 1.f;
    int count = 16;
    void* arguments[] = {&stale, &value, &count};
    ASSERT_EQ(cuLaunchKernel(kernel("fill"), 1, 1, 1, 16, 1, 1, 0, nullptr, arguments, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CUdeviceptr none = 0;
    EXPECT_EQ(cuMemAlloc(&none, 512), CUDA_ERROR_ILLEGAL_ADDRESS);
}

}  // namespace
