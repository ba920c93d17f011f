// SPDX-License-Identifier: Apache-2.0
// Nodes of any kind by one call, and changes of graphs that are there: parameters, whole updates, nodes
// switched off.
#include <algorithm>
#include <memory>
#include <utility>

#include "samples/sim/entry_point.h"
#include "samples/sim/graph.h"
#include "samples/sim/graph_memory.h"

namespace vramscope::sim {
namespace {

/// The older structure of a kernel's parameters begins as the newer one does.
CUDA_KERNEL_NODE_PARAMS kernelOf(const CUDA_KERNEL_NODE_PARAMS_v3& p) {
    CUDA_KERNEL_NODE_PARAMS kernel{};
    kernel.func = p.func ? p.func : reinterpret_cast<CUfunction>(p.kern);
    kernel.gridDimX = p.gridDimX;
    kernel.gridDimY = p.gridDimY;
    kernel.gridDimZ = p.gridDimZ;
    kernel.blockDimX = p.blockDimX;
    kernel.blockDimY = p.blockDimY;
    kernel.blockDimZ = p.blockDimZ;
    kernel.sharedMemBytes = p.sharedMemBytes;
    kernel.kernelParams = p.kernelParams;
    kernel.extra = p.extra;
    return kernel;
}

CUDA_MEMSET_NODE_PARAMS setOf(const CUDA_MEMSET_NODE_PARAMS_v2& p) {
    CUDA_MEMSET_NODE_PARAMS set{};
    set.dst = p.dst;
    set.pitch = p.pitch;
    set.value = p.value;
    set.elementSize = p.elementSize;
    set.width = p.width;
    set.height = p.height;
    return set;
}

/// The kinds whose parameters can be changed.
CUresult makeWork(const CUgraphNodeParams& p, Work& work) {
    switch (p.type) {
        case CU_GRAPH_NODE_TYPE_KERNEL:
            return makeLaunch(kernelOf(p.kernel), work);
        case CU_GRAPH_NODE_TYPE_MEMCPY:
            return makeCopy(p.memcpy.copyParams, work);
        case CU_GRAPH_NODE_TYPE_MEMSET:
            return makeSet(setOf(p.memset), work);
        case CU_GRAPH_NODE_TYPE_EMPTY:
            return CUDA_SUCCESS;
        default:
            return CUDA_ERROR_NOT_SUPPORTED;
    }
}

Work memoryWork(CUgraphNodeType type, CUdeviceptr address, size_t sizeBytes) {
    auto details = std::make_shared<NodeDetails>();
    details->address = address;
    details->sizeBytes = sizeBytes;
    Work work;
    work.type = type;
    work.details = std::move(details);
    return work;
}

CUresult addGeneric(const NodePlace& place, CUgraphNodeParams* p) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
        if (!p->alloc.bytesize) return CUDA_ERROR_INVALID_VALUE;
        p->alloc.dptr = reserveGraphMemory(p->alloc.poolProps.location.id, p->alloc.bytesize);
        if (!p->alloc.dptr) return CUDA_ERROR_OUT_OF_MEMORY;
        return addNodeAt(place, memoryWork(p->type, p->alloc.dptr, p->alloc.bytesize));
    }
    if (p->type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
        if (!isGraphMemory(p->free.dptr)) return CUDA_ERROR_INVALID_VALUE;
        return addNodeAt(place, memoryWork(p->type, p->free.dptr, 0));
    }
    Work work;
    const CUresult result = makeWork(*p, work);
    return result == CUDA_SUCCESS ? addNodeAt(place, std::move(work)) : result;
}

/// Gives a step of an executable graph the work that `make` makes.
template <typename Make>
CUresult changeStep(CUgraphExec execHandle, CUgraphNode handle, Make make) {
    GraphExec* exec = findExec(execHandle);
    const GraphNode* node = findNode(handle);
    if (!exec || !node) return CUDA_ERROR_INVALID_VALUE;
    const auto step = std::find_if(exec->steps.begin(), exec->steps.end(),
                                   [node](const GraphExec::Step& s) { return s.node == node; });
    return step != exec->steps.end() ? make(step->work) : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

SIM_API(Context, cuGraphAddNode_v2, CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
        const CUgraphEdgeData*, size_t count, CUgraphNodeParams* parameters) {
    return addGeneric({node, graph, dependencies, count}, parameters);
}

SIM_API(Context, cuGraphAddChildGraphNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
        size_t count, CUgraph childHandle) {
    const Graph* child = findGraph(childHandle);
    if (!child) return CUDA_ERROR_INVALID_VALUE;
    Work work;
    work.type = CU_GRAPH_NODE_TYPE_GRAPH;
    return addNodeAt({node, graph, dependencies, count}, std::move(work), worksOf(*child));
}

SIM_API(Context, cuGraphNodeSetParams, CUgraphNode handle, CUgraphNodeParams* parameters) {
    GraphNode* node = findNode(handle);
    if (!node || !parameters || parameters->type != node->work.type) return CUDA_ERROR_INVALID_VALUE;
    return makeWork(*parameters, node->work);
}

SIM_API(Context, cuGraphExecNodeSetParams, CUgraphExec exec, CUgraphNode node,
        CUgraphNodeParams* parameters) {
    if (!parameters) return CUDA_ERROR_INVALID_VALUE;
    return changeStep(exec, node, [parameters](Work& work) {
        return parameters->type == work.type ? makeWork(*parameters, work) : CUDA_ERROR_INVALID_VALUE;
    });
}

SIM_API(Context, cuGraphMemcpyNodeSetParams, CUgraphNode handle, const CUDA_MEMCPY3D* parameters) {
    GraphNode* node = findNode(handle);
    if (!node || !parameters || node->work.type != CU_GRAPH_NODE_TYPE_MEMCPY) return CUDA_ERROR_INVALID_VALUE;
    return makeCopy(*parameters, node->work);
}

SIM_API(Context, cuGraphMemsetNodeSetParams, CUgraphNode handle, const CUDA_MEMSET_NODE_PARAMS* parameters) {
    GraphNode* node = findNode(handle);
    if (!node || !parameters || node->work.type != CU_GRAPH_NODE_TYPE_MEMSET) return CUDA_ERROR_INVALID_VALUE;
    return makeSet(*parameters, node->work);
}

SIM_API(Context, cuGraphExecMemcpyNodeSetParams, CUgraphExec exec, CUgraphNode node,
        const CUDA_MEMCPY3D* parameters, CUcontext) {
    if (!parameters) return CUDA_ERROR_INVALID_VALUE;
    return changeStep(exec, node, [parameters](Work& work) { return makeCopy(*parameters, work); });
}

SIM_API(Context, cuGraphExecMemsetNodeSetParams, CUgraphExec exec, CUgraphNode node,
        const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext) {
    if (!parameters) return CUDA_ERROR_INVALID_VALUE;
    return changeStep(exec, node, [parameters](Work& work) { return makeSet(*parameters, work); });
}

SIM_API(Context, cuGraphExecUpdate_v2, CUgraphExec execHandle, CUgraph graphHandle,
        CUgraphExecUpdateResultInfo* info) {
    GraphExec* exec = findExec(execHandle);
    const Graph* graph = findGraph(graphHandle);
    if (!exec || !graph || !info) return CUDA_ERROR_INVALID_VALUE;
    *info = {};
    if (updateExec(*exec, *graph)) {
        info->result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
        return CUDA_SUCCESS;
    }
    info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

SIM_API(Driver, cuGraphNodeSetEnabled, CUgraphExec execHandle, CUgraphNode handle, unsigned int isEnabled) {
    GraphExec* exec = findExec(execHandle);
    const GraphNode* node = findNode(handle);
    if (!exec || !node) return CUDA_ERROR_INVALID_VALUE;
    bool found = false;
    for (GraphExec::Step& step : exec->steps) {
        if (step.node != node) continue;
        step.enabled = isEnabled != 0;
        found = true;
    }
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace vramscope::sim
