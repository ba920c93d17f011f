// SPDX-License-Identifier: Apache-2.0
// Graphs as a whole: make, instantiate, launch, destroy; and the memory that graphs hold.
#include "samples/sim/graph.h"

#include <algorithm>

#include "samples/sim/entry_point.h"
#include "samples/sim/graph_callbacks.h"
#include "samples/sim/graph_memory.h"
#include "samples/sim/machine.h"

namespace vramscope::sim {
namespace {

CUresult instantiate(CUgraphExec* handle, CUgraph graphHandle) {
    Graph* graph = findGraph(graphHandle);
    if (!graph) return CUDA_ERROR_INVALID_VALUE;
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    GraphExec* exec = newGraphExec(*graph);
    *handle = handleOf(exec);
    raiseExecCreated(*exec);
    return CUDA_SUCCESS;
}

// As cuda.h 13.0 says of cuGraphClone: a graph that owns memory has no second owner.
bool hasMemoryNodes(const Graph& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
        return node->work.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
               node->work.type == CU_GRAPH_NODE_TYPE_MEM_FREE;
    });
}

bool exists(CUdevice device) {
    return device >= 0 && uint32_t(device) < deviceCount();
}

}  // namespace

SIM_API(Driver, cuGraphCreate, CUgraph* handle, unsigned int flags) {
    if (!handle || flags) return CUDA_ERROR_INVALID_VALUE;
    Graph* graph = newGraph();
    *handle = handleOf(graph);
    raiseGraphCreated(*graph);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuGraphClone, CUgraph* handle, CUgraph original) {
    const Graph* graph = findGraph(original);
    if (!handle || !graph) return CUDA_ERROR_INVALID_VALUE;
    if (hasMemoryNodes(*graph)) return CUDA_ERROR_NOT_SUPPORTED;
    Graph* clone = cloneGraph(*graph);
    *handle = handleOf(clone);
    raiseGraphCreated(*clone);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuGraphDestroy, CUgraph handle) {
    Graph* graph = findGraph(handle);
    if (!graph) return CUDA_ERROR_INVALID_VALUE;
    raiseGraphDestroyed(*graph);
    graph->alive = false;
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuGraphGetNodes, CUgraph handle, CUgraphNode* nodes, size_t* count) {
    const Graph* graph = findGraph(handle);
    if (!graph || !count) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; nodes && i < *count; ++i) {
        nodes[i] = i < graph->nodes.size() ? handleOf(graph->nodes[i].get()) : nullptr;
    }
    if (!nodes || *count > graph->nodes.size()) *count = graph->nodes.size();
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuGraphInstantiateWithFlags, CUgraphExec* exec, CUgraph graph, unsigned long long) {
    return instantiate(exec, graph);
}

SIM_API(Driver, cuGraphInstantiateWithParams, CUgraphExec* exec, CUgraph graph,
        CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
    if (!parameters) return CUDA_ERROR_INVALID_VALUE;
    parameters->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
    return instantiate(exec, graph);
}
SIM_API_PER_THREAD(Driver, cuGraphInstantiateWithParams, _ptsz)

SIM_API(Context, cuGraphUpload, CUgraphExec exec, CUstream stream) {
    return findExec(exec) && findStream(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
SIM_API_PER_THREAD(Context, cuGraphUpload, _ptsz)

SIM_API(Context, cuGraphLaunch, CUgraphExec handle, CUstream streamHandle) {
    GraphExec* exec = findExec(handle);
    Stream* stream = findStream(streamHandle);
    if (!exec) return CUDA_ERROR_INVALID_VALUE;
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    return launchGraph(*exec, *stream);
}
SIM_API_PER_THREAD(Context, cuGraphLaunch, _ptsz)

SIM_API(Driver, cuGraphExecDestroy, CUgraphExec handle) {
    GraphExec* exec = findExec(handle);
    if (!exec) return CUDA_ERROR_INVALID_VALUE;
    raiseExecDestroyed(*exec);
    exec->alive = false;  // launches in a stream go on; memory that it allocated and did not free stays
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuDeviceGraphMemTrim, CUdevice device) {
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    trimGraphMemory(device);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuDeviceGetGraphMemAttribute, CUdevice device, CUgraphMem_attribute attribute, void* value) {
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    const GraphMemoryUse use = graphMemoryUse(device);
    auto* number = static_cast<cuuint64_t*>(value);
    switch (attribute) {
        case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
            *number = use.usedBytes;
            break;
        case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
            *number = use.usedHighBytes;
            break;
        case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
            *number = use.reservedBytes;
            break;
        case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
            *number = use.reservedHighBytes;
            break;
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuDeviceSetGraphMemAttribute, CUdevice device, CUgraphMem_attribute attribute, void* value) {
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    const bool used = attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH;
    const bool reserved = attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
    if (!value || *static_cast<cuuint64_t*>(value) || (!used && !reserved)) return CUDA_ERROR_INVALID_VALUE;
    resetGraphMemoryHighs(device, used, reserved);
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
