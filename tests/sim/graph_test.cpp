// SPDX-License-Identifier: Apache-2.0
// Capture turns calls into nodes; launches run them; graph memory stays until it is freed and trimmed.
#include <cstring>
#include <vector>

#include "tests/sim/kernel_fixture.h"

namespace {

class GraphTest : public KernelTest {
protected:
    void SetUp() override {
        KernelTest::SetUp();
        ASSERT_EQ(cuStreamCreate(&m_stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    }
    void begin() { ASSERT_EQ(cuStreamBeginCapture(m_stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS); }
    CUgraph end() {
        CUgraph graph = nullptr;
        EXPECT_EQ(cuStreamEndCapture(m_stream, &graph), CUDA_SUCCESS);
        return graph;
    }
    CUgraphExec instantiate(CUgraph graph) {
        CUgraphExec exec = nullptr;
        EXPECT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
        return exec;
    }
    int firstInt(CUdeviceptr address) {
        int value = 0;
        EXPECT_EQ(cuMemcpyDtoH(&value, address, 4), CUDA_SUCCESS);
        return value;
    }
    cuuint64_t reserved() {
        cuuint64_t value = 0;
        EXPECT_EQ(cuDeviceGetGraphMemAttribute(m_device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &value),
                  CUDA_SUCCESS);
        return value;
    }

    CUstream m_stream = nullptr;
};

TEST_F(GraphTest, capturedWorkRunsAtEachLaunchOnly) {
    const CUdeviceptr log = allocate(4096);
    const CUdeviceptr length = allocate(4);
    cuMemsetD32(length, 0, 1);
    begin();
    append(m_stream, log, length, 1, 5);
    append(m_stream, log, length, 1, 6);
    CUstreamCaptureStatus status{};
    EXPECT_EQ(cuStreamIsCapturing(m_stream, &status), CUDA_SUCCESS);
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    const CUgraph graph = end();
    EXPECT_EQ(firstInt(length), 0);
    size_t count = 0;
    EXPECT_EQ(cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
    EXPECT_EQ(count, 2u);
    const CUgraphExec exec = instantiate(graph);
    EXPECT_EQ(cuGraphLaunch(exec, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(exec, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(m_stream), CUDA_SUCCESS);
    EXPECT_EQ(firstInt(length), 4);
    EXPECT_EQ(firstInt(log + 4), 1006);
    EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(GraphTest, aCloneOutlivesItsOriginal) {
    const CUdeviceptr data = allocate(64);
    begin();
    cuMemsetD32Async(data, 7, 1, m_stream);
    const CUgraph original = end();
    CUgraph clone = nullptr;
    ASSERT_EQ(cuGraphClone(&clone, original), CUDA_SUCCESS);
    EXPECT_NE(clone, original);
    EXPECT_EQ(cuGraphDestroy(original), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(instantiate(clone), m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(m_stream), CUDA_SUCCESS);
    EXPECT_EQ(firstInt(data), 7);
    EXPECT_EQ(cuGraphClone(&clone, original), CUDA_ERROR_INVALID_VALUE) << "it is gone";
}

TEST_F(GraphTest, aGraphWithMemoryOfItsOwnHasNoClone) {
    CUdeviceptr address = 0;
    CUgraph clone = nullptr;
    begin();
    EXPECT_EQ(cuMemAllocAsync(&address, 4096, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphClone(&clone, end()), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(GraphTest, aCaptureGoesIntoAGraphThatIsThere) {
    const CUdeviceptr data = allocate(64);
    CUgraph graph = nullptr;
    ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    ASSERT_EQ(
        cuStreamBeginCaptureToGraph(m_stream, graph, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_GLOBAL),
        CUDA_SUCCESS);
    cuMemsetD32Async(data, 9, 1, m_stream);
    EXPECT_EQ(end(), graph);
    EXPECT_EQ(cuGraphLaunch(instantiate(graph), m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(m_stream), CUDA_SUCCESS);
    EXPECT_EQ(firstInt(data), 9);
}

TEST_F(GraphTest, kernelNodesTellTheirArguments) {
    CUdeviceptr data = allocate(64);
    float value = 1.5f;
    int count = 16;
    void* arguments[] = {&data, &value, &count};
    begin();
    ASSERT_EQ(cuLaunchKernel(kernel("fill"), 2, 1, 1, 8, 1, 1, 0, m_stream, arguments, nullptr),
              CUDA_SUCCESS);
    const CUgraph graph = end();
    CUgraphNode node = nullptr;
    size_t nodes = 1;
    ASSERT_EQ(cuGraphGetNodes(graph, &node, &nodes), CUDA_SUCCESS);
    CUgraphNodeType type{};
    EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_SUCCESS);
    EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_KERNEL);
    CUDA_KERNEL_NODE_PARAMS parameters{};
    ASSERT_EQ(cuGraphKernelNodeGetParams(node, &parameters), CUDA_SUCCESS);
    EXPECT_EQ(parameters.gridDimX, 2u);
    EXPECT_EQ(*static_cast<CUdeviceptr*>(parameters.kernelParams[0]), data);
    CUDA_MEMCPY3D copy{};
    EXPECT_EQ(cuGraphMemcpyNodeGetParams(node, &copy), CUDA_ERROR_INVALID_VALUE);
    // Change what an executable graph does.
    const CUgraphExec exec = instantiate(graph);
    float other = 2.5f;
    void* otherArguments[] = {&data, &other, &count};
    parameters.kernelParams = otherArguments;
    EXPECT_EQ(cuGraphExecKernelNodeSetParams(exec, node, &parameters), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(exec, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(m_stream), CUDA_SUCCESS);
    const int bits = firstInt(data);
    float seen = 0;
    std::memcpy(&seen, &bits, 4);
    EXPECT_EQ(seen, 2.5f);
}

TEST_F(GraphTest, eventsCarryTheCaptureToOtherStreamsAndBack) {
    CUstream other = nullptr;
    CUevent fork = nullptr;
    CUevent join = nullptr;
    cuStreamCreate(&other, CU_STREAM_NON_BLOCKING);
    cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING);
    cuEventCreate(&join, CU_EVENT_DISABLE_TIMING);
    const CUdeviceptr data = allocate(64);
    begin();
    cuMemsetD32Async(data, 1, 1, m_stream);
    cuEventRecord(fork, m_stream);
    ASSERT_EQ(cuStreamWaitEvent(other, fork, 0), CUDA_SUCCESS);
    cuMemcpyDtoDAsync(data + 4, data, 4, other);
    cuEventRecord(join, other);
    ASSERT_EQ(cuStreamWaitEvent(m_stream, join, 0), CUDA_SUCCESS);
    cuMemsetD32Async(data, 2, 1, m_stream);
    const CUgraph graph = end();
    CUgraphNode nodes[3];
    size_t count = 3;
    ASSERT_EQ(cuGraphGetNodes(graph, nodes, &count), CUDA_SUCCESS);
    ASSERT_EQ(count, 3u);
    size_t dependencies = 0;
    EXPECT_EQ(cuGraphNodeGetDependencies(nodes[2], nullptr, nullptr, &dependencies), CUDA_SUCCESS);
    EXPECT_EQ(dependencies, 2u);
    cuGraphLaunch(instantiate(graph), m_stream);
    cuStreamSynchronize(m_stream);
    EXPECT_EQ(firstInt(data + 4), 1);
    EXPECT_EQ(firstInt(data), 2);
}

TEST_F(GraphTest, globalCapturesRefuseUnsafeCallsAndBreak) {
    CUstream other = nullptr;
    cuStreamCreate(&other, CU_STREAM_NON_BLOCKING);
    CUdeviceptr block = 0;
    CUgraph graph = nullptr;
    begin();
    EXPECT_EQ(cuMemAlloc(&block, 512), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(cuStreamEndCapture(m_stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin();
    EXPECT_EQ(cuStreamSynchronize(other), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(cuStreamEndCapture(m_stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    // The legacy stream minds only captures that it would have to wait for.
    begin();
    EXPECT_EQ(cuLaunchKernel(kernel("noArguments"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(cuStreamEndCapture(m_stream, &graph), CUDA_SUCCESS);
    CUstream blocking = nullptr;
    ASSERT_EQ(cuStreamCreate(&blocking, CU_STREAM_DEFAULT), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    EXPECT_EQ(cuLaunchKernel(kernel("noArguments"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    EXPECT_EQ(cuStreamEndCapture(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin();
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAlloc(&block, 512), CUDA_SUCCESS);
    EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
    EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_EQ(cuStreamEndCapture(m_stream, &graph), CUDA_SUCCESS);
}

TEST_F(GraphTest, balancedGraphMemoryStaysReservedUntilATrim) {
    CUdeviceptr block = 0;
    begin();
    ASSERT_EQ(cuMemAllocAsync(&block, kMiB, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(block, 0, 100, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFreeAsync(block, m_stream), CUDA_SUCCESS);
    const CUgraphExec exec = instantiate(end());
    EXPECT_EQ(reserved(), 0u);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(cuGraphLaunch(exec, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(m_stream), CUDA_SUCCESS);
    EXPECT_EQ(reserved(), 32 * kMiB);
    EXPECT_EQ(cuDeviceGraphMemTrim(m_device), CUDA_SUCCESS);
    EXPECT_EQ(reserved(), 0u);
}

TEST_F(GraphTest, memoryThatAGraphNeverFreesOutlivesItsExec) {
    CUdeviceptr block = 0;
    begin();
    ASSERT_EQ(cuMemAllocAsync(&block, kMiB, m_stream), CUDA_SUCCESS);
    const CUgraphExec exec = instantiate(end());
    EXPECT_EQ(cuGraphLaunch(exec, m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(exec, m_stream), CUDA_ERROR_INVALID_VALUE) << "still in use";
    EXPECT_EQ(cuStreamSynchronize(m_stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
    EXPECT_EQ(cuDeviceGraphMemTrim(m_device), CUDA_SUCCESS);
    EXPECT_EQ(reserved(), 32 * kMiB);
    EXPECT_EQ(cuMemFree(block), CUDA_SUCCESS);
    EXPECT_EQ(cuDeviceGraphMemTrim(m_device), CUDA_SUCCESS);
    EXPECT_EQ(reserved(), 0u);
}

}  // namespace
