// SPDX-License-Identifier: Apache-2.0
// Jobs for guard bytes: what the job may not notice of them, and captures that they may not end.
#include <atomic>
#include <thread>
#include <vramscope/annotate.h>

#include "samples/programs/kernel_image.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

constexpr std::size_t kOddBytes = 1000;

// Writes 100 bytes behind a block of kOddBytes.
void overrun(const Kernels& kernels, CUdeviceptr block, CUstream stream) {
    constexpr int kRowBytes = 100;
    kernels.run("shiftRows", stream, kRowBytes, block, static_cast<int>(kOddBytes / kRowBytes), kRowBytes);
}

void allocateAndFree(int rounds) {
    for (int i = 0; i < rounds; ++i) {
        const CUdeviceptr block = allocate(kOddBytes);
        CU(cuMemsetD8Async(block, 1, kOddBytes, nullptr));
        CU(cuMemFree(block));
    }
}

}  // namespace

// The size of a block, as the driver tells it.
int askForSizes(const std::vector<std::string>& /*words*/) {
    const Context context;
    const CUdeviceptr block = allocate(kOddBytes);
    CUdeviceptr base = 0;
    std::size_t sizeBytes = 0;
    CU(cuMemGetAddressRange(&base, &sizeBytes, block + 10));
    std::printf("size %zu\n", sizeBytes);
    std::size_t rangeBytes = 0;
    CU(cuPointerGetAttribute(&rangeBytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, block));
    std::printf("range %zu\n", rangeBytes);
    CU(cuMemFree(block));
    return 0;
}

// Stream-ordered blocks, one of which a kernel writes past; and one of plain memory that nobody frees.
int overrunOrderedMemory(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels kernels;
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 20; ++i) {
        CUdeviceptr block = 0;
        CU(cuMemAllocAsync(&block, kOddBytes, stream));
        if (i == 7) overrun(kernels, block, stream);
        CU(cuMemFreeAsync(block, stream));
    }
    CU(cuStreamSynchronize(stream));
    const CUdeviceptr kept = allocate(kOddBytes);
    overrun(kernels, kept, stream);
    CU(cuStreamSynchronize(stream));
    CU(cuCtxSynchronize());
    CU(cuStreamDestroy(stream));
    return 0;
}

// One thread captures a graph again and again, for its own thread alone, while another would like to
// allocate, free and synchronise. Both go on; the graphs do their work.
int captureWhileOthersAllocate(const std::vector<std::string>& words) {
    const Context context;
    const Kernels kernels;
    const int rounds = std::stoi(words.at(0));
    constexpr int kFloats = 256;
    CUdeviceptr data = 0;
    {
        // Another task's, so that it is watched while graphs write it.
        const vramscope::TaskScope task("holder");
        data = allocate(kFloats * sizeof(float));
    }
    const vramscope::TaskScope task("capturer");
    CU(cuMemsetD8(data, 0, kFloats * sizeof(float)));
    std::atomic<bool> isDone{false};
    std::thread other([&] {
        context.use();
        while (!isDone) {
            CUdeviceptr block = 0;
            if (cuMemAlloc(&block, kOddBytes) != CUDA_SUCCESS) continue;
            CU_UNREAD(cuStreamSynchronize(nullptr));
            while (cuMemFree(block) != CUDA_SUCCESS) {
            }
        }
    });
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    int broken = 0;
    for (int i = 0; i < rounds; ++i) {
        CUgraph graph = nullptr;
        CUgraphExec exec = nullptr;
        CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        kernels.run("scale", stream, kFloats, data, 2.0f, kFloats);
        if (cuStreamEndCapture(stream, &graph) != CUDA_SUCCESS) {
            ++broken;
            continue;
        }
        CU(cuGraphInstantiate(&exec, graph, 0));
        CU(cuGraphLaunch(exec, stream));
        CU(cuStreamSynchronize(stream));
        CU(cuGraphExecDestroy(exec));
        CU(cuGraphDestroy(graph));
    }
    isDone = true;
    other.join();
    std::printf("broken captures %d\n", broken);
    allocateAndFree(10);
    CU(cuStreamDestroy(stream));
    CU(cuMemFree(data));
    return 0;
}

// The first four bytes of new plain memory, of new stream-ordered memory, and of a block that stands where
// another was freed on the same stream.
int readUnwrittenMemory(const std::vector<std::string>& /*words*/) {
    const Context context;
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    unsigned first = 0;
    const CUdeviceptr plain = allocate(kOddBytes);
    CU(cuMemcpyDtoH(&first, plain + kOddBytes - sizeof(first), sizeof(first)));
    std::printf("plain %x\n", first);
    CU(cuMemFree(plain));
    for (int i = 0; i < 2; ++i) {
        CUdeviceptr block = 0;
        CU(cuMemAllocAsync(&block, kMiB, stream));
        CU(cuMemcpyDtoHAsync(&first, block, sizeof(first), stream));
        CU(cuStreamSynchronize(stream));
        std::printf("ordered %x\n", first);
        CU(cuMemsetD8Async(block, 1, kMiB, stream));
        CU(cuMemFreeAsync(block, stream));
    }
    CU(cuStreamDestroy(stream));
    return 0;
}

// Fills the device with blocks of 16 MiB.
int fillTheDevice(const std::vector<std::string>& /*words*/) {
    const Context context;
    int blocks = 0;
    for (CUdeviceptr block = 0; cuMemAlloc(&block, 16 * kMiB) == CUDA_SUCCESS; ++blocks) {
    }
    std::printf("blocks %d\n", blocks);
    return 0;
}

}  // namespace vramscope::jobs
