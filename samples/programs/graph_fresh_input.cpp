// SPDX-License-Identifier: Apache-2.0
// A graph that is launched on ever new input: the executable graph is updated before each launch, by a graph
// captured on the new buffer or by new parameters of its copy. Right answer: nothing.
#include "samples/programs/kernel_image.h"
#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr int kElements = 1 << 18;
constexpr std::size_t kBytes = kElements * sizeof(float);
constexpr int kInputs = 6;

CUgraph captureStep(const Kernels& kernels, CUstream stream, CUdeviceptr input, CUdeviceptr work) {
    CUgraph graph = nullptr;
    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CU(cuMemcpyDtoDAsync(work, input, kBytes, stream));
    kernels.run("scale", stream, kElements, work, 2.0f, kElements);
    CU(cuStreamEndCapture(stream, &graph));
    return graph;
}

void updateByCapture(const Kernels& kernels, CUstream stream, CUgraphExec exec, CUdeviceptr input,
                     CUdeviceptr work) {
    const CUgraph graph = captureStep(kernels, stream, input, work);
    CUgraphExecUpdateResultInfo info{};
    CU(cuGraphExecUpdate(exec, graph, &info));
    CU(cuGraphDestroy(graph));
}

CUDA_MEMCPY3D copyOf(CUdeviceptr input, CUdeviceptr work) {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = input;
    copy.srcPitch = kBytes;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = work;
    copy.dstPitch = kBytes;
    copy.WidthInBytes = kBytes;
    copy.Height = 1;
    copy.Depth = 1;
    return copy;
}

void launchOnce(CUgraphExec exec, CUstream stream) {
    CU(cuGraphLaunch(exec, stream));
    CU(cuStreamSynchronize(stream));
}

/// One executable graph for all inputs, each of them captured anew.
void runUpdated(const Kernels& kernels, CUstream stream, CUdeviceptr work) {
    CUgraphExec exec = nullptr;
    for (int i = 0; i < kInputs; ++i) {
        const CUdeviceptr input = allocate(kBytes);
        CU(cuMemsetD32(input, 0, kElements));
        if (i == 0) {
            const CUgraph graph = captureStep(kernels, stream, input, work);
            CU(cuGraphInstantiate(&exec, graph, 0));
            CU(cuGraphDestroy(graph));
        } else {
            updateByCapture(kernels, stream, exec, input, work);
        }
        launchOnce(exec, stream);
        CU(cuMemFree(input));
    }
    CU(cuGraphExecDestroy(exec));
}

/// A graph made of one copy, whose parameters are set in the executable graph.
void runWithParameters(const Context& context, CUstream stream, CUdeviceptr work) {
    CUgraph graph = nullptr;
    CUgraphNode node = nullptr;
    CUgraphExec exec = nullptr;
    CUdeviceptr input = allocate(kBytes);
    CUDA_MEMCPY3D copy = copyOf(input, work);
    CU(cuGraphCreate(&graph, 0));
    CU(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context.handle()));
    CU(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < kInputs; ++i) {
        launchOnce(exec, stream);
        CU(cuMemFree(input));
        input = allocate(kBytes);
        copy = copyOf(input, work);
        CU(cuGraphExecMemcpyNodeSetParams(exec, node, &copy, context.handle()));
    }
    CU(cuMemFree(input));
    CU(cuGraphExecDestroy(exec));
    CU(cuGraphDestroy(graph));
}

}  // namespace

int main() {
    Context context;
    const Kernels kernels;
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    const CUdeviceptr work = allocate(kBytes);
    runUpdated(kernels, stream, work);
    runWithParameters(context, stream, work);
    CU(cuMemFree(work));
    CU(cuStreamDestroy(stream));
    return 0;
}
