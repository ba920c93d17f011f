// SPDX-License-Identifier: Apache-2.0
// Built with CUDA_API_PER_THREAD_DEFAULT_STREAM: calls are the _ptsz and _ptds variants, and stream 0 is the
// thread's.
#include <thread>

#include "samples/programs/kernel_image.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

void workOnDefaultStream(const Context& context, const Kernels& kernels) {
    context.use();
    constexpr int kFloats = 1024;
    CUdeviceptr data = 0;
    float value = 1;
    int count = kFloats;
    void* arguments[] = {&data, &value, &count};
    CU(cuMemAllocAsync(&data, kFloats * sizeof(float), nullptr));
    CU(cuMemsetD8Async(data, 0, kFloats * sizeof(float), nullptr));
    CU(cuLaunchKernel(kernels.find("fill"), 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
    CU(cuMemcpyDtoH(&value, data, sizeof(value)));
    CU(cuMemFreeAsync(data, nullptr));
    CU(cuStreamSynchronize(nullptr));
}

}  // namespace

// Three threads, each on its own default stream; the main thread on the legacy one, which it names.
int useThreadStreams(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels kernels;
    const CUdeviceptr data = allocate(kMiB);
    for (int i = 0; i < 3; ++i)
        std::thread([&] { workOnDefaultStream(context, kernels); }).join();
    CU(cuMemsetD8Async(data, 0, kMiB, CU_STREAM_LEGACY));
    CU(cuStreamSynchronize(CU_STREAM_LEGACY));
    CU(cuMemFree(data));
    return 0;
}

// A capture on the thread's default stream: the set in it defines a node, that behind it is done.
int captureThreadStream(const std::vector<std::string>& /*words*/) {
    const Context context;
    const CUdeviceptr data = allocate(kMiB);
    CUgraph graph = nullptr;
    CU(cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED));
    CU(cuMemsetD8Async(data, 1, 100, nullptr));
    CU(cuStreamEndCapture(nullptr, &graph));
    CU(cuMemsetD8Async(data, 2, 200, nullptr));
    CU(cuGraphDestroy(graph));
    CU(cuCtxSynchronize());
    CU(cuMemFree(data));
    return 0;
}

}  // namespace vramscope::jobs
