// SPDX-License-Identifier: Apache-2.0
// A graph that allocates and never frees: each round captures work with memory of its own, launches it once
// and destroys the graph and its executable. The memory that the launch allocated belongs to neither and
// stays. Right answer: leak.growth, a block each round, asked for by captureScratch(), with the executable
// graphs destroyed.
#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr int kRounds = 12;
constexpr std::size_t kSizeBytes = 8 * kMiB;

CUgraph captureScratch(CUstream stream, CUdeviceptr result) {
    CUgraph graph = nullptr;
    CUdeviceptr scratch = 0;
    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CU(cuMemAllocAsync(&scratch, kSizeBytes, stream));
    CU(cuMemsetD8Async(scratch, 1, kSizeBytes, stream));
    CU(cuMemcpyDtoDAsync(result, scratch, 4096, stream));
    CU(cuStreamEndCapture(stream, &graph));
    return graph;
}

}  // namespace

int main() {
    Context context;
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    const CUdeviceptr result = allocate(4096);
    for (int round = 0; round < kRounds; ++round) {
        const CUgraph graph = captureScratch(stream, result);
        CUgraphExec exec = nullptr;
        CU(cuGraphInstantiate(&exec, graph, 0));
        CU(cuGraphLaunch(exec, stream));
        CU(cuStreamSynchronize(stream));
        CU(cuGraphExecDestroy(exec));
        CU(cuGraphDestroy(graph));
    }
    CU(cuDeviceGraphMemTrim(context.device()));
    CU(cuMemFree(result));
    CU(cuStreamDestroy(stream));
    return 0;
}
