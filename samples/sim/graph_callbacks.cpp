// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/graph_callbacks.h"

#include <vector>

#include "samples/sim/callback_dispatch.h"
#include "samples/sim/entry_point.h"

namespace vramscope::sim {
namespace {

CUpti_GraphData dataOf(Graph& graph, GraphNode* node, GraphExec* exec) {
    CUpti_GraphData data{};
    data.graph = handleOf(&graph);
    if (node) data.node = handleOf(node);
    if (node) data.nodeType = node->work.type;
    if (exec) data.graphExec = handleOf(exec);
    return data;
}

void raise(CUpti_CallbackIdResource id, CUcontext context, CUpti_GraphData data) {
    raiseResource(id, context, nullptr, &data);
}

}  // namespace

void raiseGraphCreated(Graph& graph) {
    Unlocked unlocked;
    raise(CUPTI_CBID_RESOURCE_GRAPH_CREATED, nullptr, dataOf(graph, nullptr, nullptr));
}

void raiseGraphDestroyed(Graph& graph) {
    std::vector<CUpti_GraphData> nodes;
    for (const auto& node : graph.nodes)
        nodes.push_back(dataOf(graph, node.get(), nullptr));
    Unlocked unlocked;
    raise(CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING, nullptr, dataOf(graph, nullptr, nullptr));
    for (const CUpti_GraphData& node : nodes)
        raise(CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING, nullptr, node);
}

void raiseNodeCreated(GraphNode& node) {
    const CUpti_GraphData data = dataOf(*node.graph, &node, nullptr);
    Unlocked unlocked;
    raise(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING, nullptr, data);
    raise(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, nullptr, data);
}

void raiseExecCreated(GraphExec& exec) {
    const CUpti_GraphData data = dataOf(*exec.graph, nullptr, &exec);
    CUcontext context = currentContext() ? handleOf(currentContext()) : nullptr;
    Unlocked unlocked;
    raise(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, context, data);
    raise(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, context, data);
}

void raiseExecDestroyed(GraphExec& exec) {
    const CUpti_GraphData data = dataOf(*exec.graph, nullptr, &exec);
    Unlocked unlocked;
    raise(CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, nullptr, data);
}

}  // namespace vramscope::sim
