// SPDX-License-Identifier: Apache-2.0
// Memory of graphs, done right: what a graph allocates it frees itself, or the program frees it after the
// launch, before the next one. Right answer: nothing.
#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr int kRounds = 12;
constexpr std::size_t kSizeBytes = 8 * kMiB;

/// Gives the address of what it allocates; the graph frees it only if `frees`.
CUdeviceptr captureScratch(CUstream stream, bool frees, CUgraph* graph) {
    CUdeviceptr scratch = 0;
    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CU(cuMemAllocAsync(&scratch, kSizeBytes, stream));
    CU(cuMemsetD8Async(scratch, 1, kSizeBytes, stream));
    if (frees) CU(cuMemFreeAsync(scratch, stream));
    CU(cuStreamEndCapture(stream, graph));
    return scratch;
}

void launchOften(CUstream stream, bool graphFrees) {
    CUgraph graph = nullptr;
    const CUdeviceptr scratch = captureScratch(stream, graphFrees, &graph);
    CUgraphExec exec = nullptr;
    CU(cuGraphInstantiate(&exec, graph, 0));
    for (int round = 0; round < kRounds; ++round) {
        CU(cuGraphLaunch(exec, stream));
        if (!graphFrees) CU(cuMemFreeAsync(scratch, stream));
        CU(cuStreamSynchronize(stream));
    }
    CU(cuGraphExecDestroy(exec));
    CU(cuGraphDestroy(graph));
}

}  // namespace

int main() {
    Context context;
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    launchOften(stream, true);
    launchOften(stream, false);
    CU(cuDeviceGraphMemTrim(context.device()));
    CU(cuStreamDestroy(stream));
    return 0;
}
