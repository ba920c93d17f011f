// SPDX-License-Identifier: Apache-2.0
// Graphs made node by node and by captures, changed, and launched.
#include "samples/programs/kernel_image.h"
#include "samples/programs/sample.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

constexpr std::size_t kBytes = kMiB;

CUDA_MEMCPY3D copyBetween(CUdeviceptr to, CUdeviceptr from) {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = to;
    copy.WidthInBytes = kBytes;
    copy.Height = 1;
    copy.Depth = 1;
    return copy;
}

CUDA_MEMSET_NODE_PARAMS setRows(CUdeviceptr address) {
    CUDA_MEMSET_NODE_PARAMS set{};
    set.dst = address;
    set.elementSize = 1;
    set.width = 512;
    set.height = 4;
    set.pitch = 4096;
    return set;
}

void doNothing(void* /*data*/) {}

}  // namespace

// A node of each kind by hand; then other parameters in the graph, in the executable graph, and a node
// switched off.
int buildGraphs(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels kernels;
    const CUdeviceptr a = allocate(kBytes);
    const CUdeviceptr b = allocate(kBytes);
    CUgraph graph = nullptr;
    CUgraph child = nullptr;
    CUgraphNode copyNode = nullptr;
    CUgraphNode setNode = nullptr;
    CUgraphNode node = nullptr;
    CU(cuGraphCreate(&graph, 0));
    CU(cuGraphCreate(&child, 0));

    float value = 1;
    int count = 16;
    CUdeviceptr inside = b + 256;
    void* arguments[] = {&inside, &value, &count};
    CUDA_KERNEL_NODE_PARAMS kernel{};
    kernel.func = kernels.find("fill");
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = 16;
    kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.kernelParams = arguments;
    CU(cuGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
    CUDA_MEMCPY3D copy = copyBetween(b, a);
    CU(cuGraphAddMemcpyNode(&copyNode, graph, nullptr, 0, &copy, context.handle()));
    CUDA_MEMSET_NODE_PARAMS set = setRows(a);
    CU(cuGraphAddMemsetNode(&setNode, child, nullptr, 0, &set, context.handle()));
    CU(cuGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
    CUDA_HOST_NODE_PARAMS host{};
    host.fn = doNothing;
    CU(cuGraphAddHostNode(&node, graph, nullptr, 0, &host));
    CUgraphNodeParams generic{};
    generic.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    generic.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    generic.alloc.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, {context.device()}};
    generic.alloc.bytesize = 3 * kBytes;
    CUgraphNode allocNode = nullptr;
    CU(cuGraphAddNode(&allocNode, graph, nullptr, nullptr, 0, &generic));
    CU(cuGraphAddMemFreeNode(&node, graph, &allocNode, 1, generic.alloc.dptr));

    CUgraphExec exec = nullptr;
    CU(cuGraphInstantiate(&exec, graph, 0));
    CU(cuGraphLaunch(exec, nullptr));
    copy = copyBetween(a, b);
    CU(cuGraphMemcpyNodeSetParams(copyNode, &copy));
    copy = copyBetween(a + kBytes / 2, b);
    copy.WidthInBytes = kBytes / 2;
    CU(cuGraphExecMemcpyNodeSetParams(exec, copyNode, &copy, context.handle()));
    CU(cuGraphNodeSetEnabled(exec, copyNode, 0));
    CU(cuGraphLaunch(exec, nullptr));
    CU(cuCtxSynchronize());
    CU(cuDeviceGraphMemTrim(context.device()));
    CU(cuGraphExecDestroy(exec));
    CU(cuGraphDestroy(graph));
    CU(cuGraphDestroy(child));
    CU(cuMemFree(a));
    CU(cuMemFree(b));
    return 0;
}

// Two captures at once, one of them over two streams, and one that fails.
int captureGraphs(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels kernels;
    const CUdeviceptr a = allocate(kBytes);
    const CUdeviceptr b = allocate(kBytes);
    CUstream one = nullptr;
    CUstream joined = nullptr;
    CUstream two = nullptr;
    for (CUstream* stream : {&one, &joined, &two})
        CU(cuStreamCreate(stream, CU_STREAM_NON_BLOCKING));
    CUevent fork = nullptr;
    CUevent join = nullptr;
    CU(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    CU(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));

    CUgraph first = nullptr;
    CUgraph second = nullptr;
    CU(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    CU(cuStreamBeginCapture(two, CU_STREAM_CAPTURE_MODE_RELAXED));
    CU(cuEventRecord(fork, one));
    CU(cuStreamWaitEvent(joined, fork, 0));
    CU(cuMemsetD8Async(b, 1, kBytes, joined));
    CU(cuMemcpyDtoDAsync(b, a, kBytes, two));
    CU(cuLaunchHostFunc(one, doNothing, nullptr));
    kernels.run("fill", one, 64, a, 1.0F, 64);
    CU(cuEventRecord(join, joined));
    CU(cuStreamWaitEvent(one, join, 0));
    CU(cuStreamEndCapture(two, &second));
    CU(cuStreamEndCapture(one, &first));

    // Allocating is not allowed then.
    CUgraph broken = nullptr;
    CUdeviceptr refused = 0;
    CU(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CU(cuMemsetD8Async(a, 1, kBytes, one));
    CU_UNREAD(cuMemAlloc(&refused, kBytes));
    CU_UNREAD(cuStreamEndCapture(one, &broken));

    // A launch that is captured is a node, too.
    CUgraphExec exec = nullptr;
    CUgraphExec outer = nullptr;
    CUgraph third = nullptr;
    CU(cuGraphInstantiate(&exec, second, 0));
    CU(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    CU(cuGraphLaunch(exec, one));
    CU(cuStreamEndCapture(one, &third));
    CU(cuGraphInstantiate(&outer, third, 0));
    CU(cuGraphLaunch(outer, one));
    CU(cuStreamSynchronize(one));

    for (CUgraphExec each : {exec, outer})
        CU(cuGraphExecDestroy(each));
    for (CUgraph graph : {first, second, third})
        CU(cuGraphDestroy(graph));
    for (CUevent event : {fork, join})
        CU(cuEventDestroy(event));
    for (CUstream stream : {one, joined, two})
        CU(cuStreamDestroy(stream));
    CU(cuMemFree(a));
    CU(cuMemFree(b));
    return 0;
}

}  // namespace vramscope::jobs
