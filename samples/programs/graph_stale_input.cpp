// SPDX-License-Identifier: Apache-2.0
// A graph that outlives its input: it is captured with one input buffer, the program then reallocates the
// input (the new block has the same address) and goes on launching the graph. What the graph reads is
// whatever lives there. Right answer: corruption.use-after-free, since the copy in the graph was made for the
// first buffer, which makeInput() allocated and replaceInput() freed.
#include "samples/programs/kernel_image.h"
#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr int kElements = 1 << 18;
constexpr std::size_t kBytes = kElements * sizeof(float);
constexpr int kReplays = 5;

CUdeviceptr makeInput() {
    const CUdeviceptr input = allocate(kBytes);
    CU(cuMemsetD32(input, 0, kElements));
    return input;
}

CUgraphExec captureStep(const Kernels& kernels, CUstream stream, CUdeviceptr input, CUdeviceptr work) {
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CU(cuMemcpyDtoDAsync(work, input, kBytes, stream));
    kernels.run("scale", stream, kElements, work, 2.0f, kElements);
    CU(cuStreamEndCapture(stream, &graph));
    CU(cuGraphInstantiate(&exec, graph, 0));
    CU(cuGraphDestroy(graph));
    return exec;
}

CUdeviceptr replaceInput(CUdeviceptr old) {
    CU(cuMemFree(old));
    return makeInput();
}

}  // namespace

int main() {
    Context context;
    const Kernels kernels;
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    const CUdeviceptr work = allocate(kBytes);
    CUdeviceptr input = makeInput();
    const CUgraphExec exec = captureStep(kernels, stream, input, work);
    CU(cuGraphLaunch(exec, stream));
    CU(cuStreamSynchronize(stream));
    input = replaceInput(input);
    for (int replay = 0; replay < kReplays; ++replay)
        CU(cuGraphLaunch(exec, stream));
    CU(cuStreamSynchronize(stream));
    CU(cuGraphExecDestroy(exec));
    CU(cuMemFree(input));
    CU(cuMemFree(work));
    CU(cuStreamDestroy(stream));
    return 0;
}
