// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: add them, ask them, change them.
#include <memory>
#include <utility>
#include <vector>

#include "samples/sim/entry_point.h"
#include "samples/sim/graph.h"
#include "samples/sim/graph_callbacks.h"
#include "samples/sim/graph_memory.h"

namespace vramscope::sim {
namespace {

Work withDetails(CUgraphNodeType type, NodeDetails details) {
    Work work;
    work.type = type;
    work.details = std::make_shared<const NodeDetails>(std::move(details));
    return work;
}

/// Adds a node of what `make` turns the parameters into.
template <typename Parameters>
CUresult addMade(const NodePlace& place, const Parameters* parameters,
                 CUresult (*make)(const Parameters&, Work&)) {
    Work work;
    if (!parameters) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = make(*parameters, work);
    return result == CUDA_SUCCESS ? addNodeAt(place, std::move(work)) : result;
}

/// Copies one part of a node's details out.
template <typename Parameters>
CUresult give(CUgraphNode handle, CUgraphNodeType type, Parameters NodeDetails::*part, Parameters* result) {
    const GraphNode* node = findNode(handle);
    if (!node || !result || node->work.type != type || !node->work.details) return CUDA_ERROR_INVALID_VALUE;
    *result = (*node->work.details).*part;
    return CUDA_SUCCESS;
}

}  // namespace

SIM_API(Driver, cuGraphNodeGetType, CUgraphNode handle, CUgraphNodeType* type) {
    const GraphNode* node = findNode(handle);
    if (!node || !type) return CUDA_ERROR_INVALID_VALUE;
    *type = node->work.type;
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuGraphNodeGetDependencies_v2, CUgraphNode handle, CUgraphNode* dependencies,
        CUgraphEdgeData*, size_t* count) {
    const GraphNode* node = findNode(handle);
    if (!node || !count) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; dependencies && i < *count && i < node->dependencies.size(); ++i) {
        dependencies[i] = handleOf(node->dependencies[i]);
    }
    *count = node->dependencies.size();
    return CUDA_SUCCESS;
}

SIM_API(Context, cuGraphAddEmptyNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
        size_t count) {
    return addNodeAt({node, graph, dependencies, count}, Work{});
}

SIM_API(Context, cuGraphAddKernelNode_v2, CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
        size_t count, const CUDA_KERNEL_NODE_PARAMS* parameters) {
    return addMade({node, graph, dependencies, count}, parameters, makeLaunch);
}

SIM_API(Context, cuGraphAddMemcpyNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
        size_t count, const CUDA_MEMCPY3D* parameters, CUcontext) {
    return addMade({node, graph, dependencies, count}, parameters, makeCopy);
}

SIM_API(Context, cuGraphAddMemsetNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
        size_t count, const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext) {
    return addMade({node, graph, dependencies, count}, parameters, makeSet);
}

SIM_API(Context, cuGraphAddHostNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
        size_t count, const CUDA_HOST_NODE_PARAMS* parameters) {
    if (!parameters || !parameters->fn) return CUDA_ERROR_INVALID_VALUE;
    NodeDetails details;
    details.host = *parameters;
    Work work = withDetails(CU_GRAPH_NODE_TYPE_HOST, details);
    work.onHost = true;
    work.run = [host = *parameters] {
        host.fn(host.userData);
        return CUDA_SUCCESS;
    };
    return addNodeAt({node, graph, dependencies, count}, std::move(work));
}

SIM_API(Context, cuGraphAddMemAllocNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
        size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* parameters) {
    if (!parameters || !parameters->bytesize) return CUDA_ERROR_INVALID_VALUE;
    NodeDetails details;
    details.sizeBytes = parameters->bytesize;
    details.address = reserveGraphMemory(parameters->poolProps.location.id, parameters->bytesize);
    if (!details.address) return CUDA_ERROR_OUT_OF_MEMORY;
    parameters->dptr = details.address;
    return addNodeAt({node, graph, dependencies, count}, withDetails(CU_GRAPH_NODE_TYPE_MEM_ALLOC, details));
}

SIM_API(Context, cuGraphAddMemFreeNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
        size_t count, CUdeviceptr address) {
    if (!isGraphMemory(address)) return CUDA_ERROR_INVALID_VALUE;
    NodeDetails details;
    details.address = address;
    return addNodeAt({node, graph, dependencies, count}, withDetails(CU_GRAPH_NODE_TYPE_MEM_FREE, details));
}

SIM_API(Driver, cuGraphKernelNodeGetParams_v2, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* parameters) {
    return give(node, CU_GRAPH_NODE_TYPE_KERNEL, &NodeDetails::kernel, parameters);
}

SIM_API(Driver, cuGraphMemcpyNodeGetParams, CUgraphNode node, CUDA_MEMCPY3D* parameters) {
    return give(node, CU_GRAPH_NODE_TYPE_MEMCPY, &NodeDetails::copy, parameters);
}

SIM_API(Driver, cuGraphMemsetNodeGetParams, CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* parameters) {
    return give(node, CU_GRAPH_NODE_TYPE_MEMSET, &NodeDetails::set, parameters);
}

SIM_API(Driver, cuGraphHostNodeGetParams, CUgraphNode node, CUDA_HOST_NODE_PARAMS* parameters) {
    return give(node, CU_GRAPH_NODE_TYPE_HOST, &NodeDetails::host, parameters);
}

SIM_API(Driver, cuGraphMemAllocNodeGetParams, CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* parameters) {
    if (!parameters) return CUDA_ERROR_INVALID_VALUE;
    *parameters = {};
    const CUresult result =
        give(node, CU_GRAPH_NODE_TYPE_MEM_ALLOC, &NodeDetails::address, &parameters->dptr);
    return result == CUDA_SUCCESS
               ? give(node, CU_GRAPH_NODE_TYPE_MEM_ALLOC, &NodeDetails::sizeBytes, &parameters->bytesize)
               : result;
}

SIM_API(Driver, cuGraphMemFreeNodeGetParams, CUgraphNode node, CUdeviceptr* address) {
    return give(node, CU_GRAPH_NODE_TYPE_MEM_FREE, &NodeDetails::address, address);
}

SIM_API(Context, cuGraphKernelNodeSetParams_v2, CUgraphNode handle,
        const CUDA_KERNEL_NODE_PARAMS* parameters) {
    GraphNode* node = findNode(handle);
    if (!node || !parameters || node->work.type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
    return makeLaunch(*parameters, node->work);
}

SIM_API(Context, cuGraphExecKernelNodeSetParams_v2, CUgraphExec execHandle, CUgraphNode handle,
        const CUDA_KERNEL_NODE_PARAMS* parameters) {
    GraphExec* exec = findExec(execHandle);
    const GraphNode* node = findNode(handle);
    if (!exec || !node || !parameters || node->work.type != CU_GRAPH_NODE_TYPE_KERNEL)
        return CUDA_ERROR_INVALID_VALUE;
    for (GraphExec::Step& step : exec->steps) {
        if (step.node == node) return makeLaunch(*parameters, step.work);
    }
    return CUDA_ERROR_INVALID_VALUE;
}

}  // namespace vramscope::sim
