// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "samples/programs/kernel_image.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

[[gnu::noinline]] void launchFill(const Kernels& kernels, CUdeviceptr data, int floats) {
    for (int i = 0; i < 3; ++i)
        kernels.run("fill", nullptr, floats, data, 1.0F, floats);
}

// Both forms of a launch, with three arguments that point into memory and one that does not.
void launchMultiply(CUfunction multiply, bool isExtended, CUdeviceptr a, CUdeviceptr b, CUdeviceptr out) {
    int width = 4;
    void* values[] = {&a, &b, &out, &width};
    if (!isExtended) return CU(cuLaunchKernel(multiply, 3, 2, 1, 16, 1, 1, 0, nullptr, values, nullptr));
    CUlaunchConfig config{};
    config.gridDimX = 3;
    config.gridDimY = 2;
    config.gridDimZ = 1;
    config.blockDimX = 16;
    config.blockDimY = config.blockDimZ = 1;
    CU(cuLaunchKernelEx(&config, multiply, values, nullptr));
}

}  // namespace

// The same launch in both forms, over and over: the first of a kernel is recorded by other code than later
// ones.
int launchAgain(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels kernels;
    constexpr std::size_t kBytes = 4096;
    const CUdeviceptr a = allocate(kBytes);
    const CUdeviceptr b = allocate(kBytes);
    const CUdeviceptr out = allocate(kBytes);
    const CUfunction multiply = kernels.find("multiply");
    for (int i = 0; i < 8; ++i)
        launchMultiply(multiply, i % 2 == 1, a, b + 256, out + 512);
    CU(cuCtxSynchronize());
    for (const CUdeviceptr data : {a, b, out})
        CU(cuMemFree(data));
    return 0;
}

// Something for each level of recording: an allocation, three launches, a copy, a set, an event and a wait.
int doSomeOfEach(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels kernels;
    constexpr int kFloats = 256;
    float first = 0;
    CUevent event = nullptr;
    const CUdeviceptr data = allocate(kFloats * sizeof(float));
    CU(cuMemsetD8(data, 0, kFloats * sizeof(float)));
    launchFill(kernels, data, kFloats);
    CU(cuEventCreate(&event, 0));
    CU(cuEventRecord(event, nullptr));
    CU(cuCtxSynchronize());
    CU(cuMemcpyDtoH(&first, data, sizeof(first)));
    CU(cuEventDestroy(event));
    CU(cuMemFree(data));
    return first == 1.0F ? 0 : 9;
}

}  // namespace vramscope::jobs
