// SPDX-License-Identifier: Apache-2.0
// Jobs for the exact engine: kernels whose reads and writes are known to the byte.
#include <cstdio>
#include <cstdlib>

#include "samples/programs/kernel_image.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

constexpr std::size_t kSmallBytes = 4096;

}  // namespace

// A product of matrices of 16 by 16 from one buffer into the middle of another.
int multiplyInto(const std::vector<std::string>& /*words*/) {
    constexpr int kWidth = 16;
    const Context context;
    const Kernels kernels;
    const CUdeviceptr source = allocate(kSmallBytes);
    const CUdeviceptr target = allocate(2 * kSmallBytes);
    CU(cuMemsetD8(source, 0, kSmallBytes));
    kernels.run("multiply", nullptr, kWidth * kWidth, source, source, target + 1024, kWidth);
    CU(cuCtxSynchronize());
    std::puts("done");
    return 0;
}

// Fills a buffer and the first bytes of its neighbour.
int fillIntoNeighbour(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels kernels;
    const CUdeviceptr first = allocate(kSmallBytes);
    const CUdeviceptr second = allocate(kSmallBytes + 1024);
    if (second != first + kSmallBytes) return 1;
    constexpr int kFloats = (kSmallBytes + 512) / sizeof(float);
    kernels.run("fill", nullptr, kFloats, first, 1.0F, kFloats);
    CU(cuCtxSynchronize());
    return 0;
}

// Fills what was freed before. The page is another buffer's, too, so the device does not mind.
int fillAfterFree(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels kernels;
    const CUdeviceptr kept = allocate(kSmallBytes);
    const CUdeviceptr freed = allocate(kSmallBytes);
    CU(cuMemFree(freed));
    kernels.run("fill", nullptr, 64, freed, 1.0F, 64);
    CU(cuCtxSynchronize());
    CU(cuMemFree(kept));
    return 0;
}

// The same with memory of a pool, which the device still reaches after its ordered free.
int fillAfterOrderedFree(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels kernels;
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CUdeviceptr block = 0;
    CU(cuMemAllocAsync(&block, kSmallBytes, stream));
    CU(cuMemFreeAsync(block, stream));
    kernels.run("fill", stream, 64, block, 1.0F, 64);
    CU(cuStreamSynchronize(stream));
    return 0;
}

// A graph of two kernels, launched twice.
int launchGraphOfKernels(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels kernels;
    const CUdeviceptr data = allocate(kSmallBytes);
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    kernels.run("fill", stream, 256, data, 1.0F, 256);
    kernels.run("scale", stream, 128, data, 2.0F, 128);
    CUgraph graph = nullptr;
    CU(cuStreamEndCapture(stream, &graph));
    CUgraphExec exec = nullptr;
    CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 2; ++i)
        CU(cuGraphLaunch(exec, stream));
    CU(cuStreamSynchronize(stream));
    CU(cuGraphExecDestroy(exec));
    CU(cuGraphDestroy(graph));
    CU(cuMemFree(data));
    return 0;
}

// As many launches as the word says, each of one float, and one wait at the end.
int launchMany(const std::vector<std::string>& words) {
    const Context context;
    const Kernels kernels;
    const int count = words.empty() ? 1 : std::atoi(words.back().c_str());
    const CUdeviceptr data = allocate(kSmallBytes);
    for (int i = 0; i < count; ++i)
        kernels.run("fill", nullptr, 1, data + 4 * (i % 1024), 1.0F, 1);
    CU(cuCtxSynchronize());
    CU(cuMemFree(data));
    return 0;
}

}  // namespace vramscope::jobs
