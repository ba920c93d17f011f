// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/graph.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "samples/sim/capture.h"
#include "samples/sim/graph_callbacks.h"
#include "samples/sim/graph_memory.h"
#include "samples/sim/launch_watch.h"
#include "samples/sim/node_work.h"

namespace vramscope::sim {
namespace {

struct Graphs {
    std::unordered_set<const void*> graphs;
    std::unordered_set<const void*> nodes;
    std::unordered_set<const void*> execs;
};

Graphs& state() {
    static Graphs* const instance = new Graphs;
    return *instance;
}

}  // namespace

Graph* newGraph() {
    auto* graph = new Graph;
    state().graphs.insert(graph);
    return graph;
}

Graph* cloneGraph(const Graph& graph) {
    Graph* clone = newGraph();
    std::unordered_map<const GraphNode*, GraphNode*> copies;
    for (const auto& node : graph.nodes) {
        std::vector<GraphNode*> dependencies;
        for (const GraphNode* dependency : node->dependencies)
            dependencies.push_back(copies.at(dependency));
        copies[node.get()] = &addNode(*clone, node->work, std::move(dependencies));
    }
    return clone;
}

GraphExec* newGraphExec(Graph& graph) {
    auto* exec = new GraphExec;
    exec->graph = &graph;
    for (const auto& node : graph.nodes) {
        if (node->child.empty()) exec->steps.push_back({node.get(), node->work});
        for (const Work& work : node->child)
            exec->steps.push_back({node.get(), work});
    }
    state().execs.insert(exec);
    return exec;
}

Graph* findGraph(CUgraph handle) {
    auto* graph = reinterpret_cast<Graph*>(handle);
    return state().graphs.contains(graph) && graph->alive ? graph : nullptr;
}

GraphNode* findNode(CUgraphNode handle) {
    auto* node = reinterpret_cast<GraphNode*>(handle);
    return state().nodes.contains(node) && node->graph->alive ? node : nullptr;
}

GraphExec* findExec(CUgraphExec handle) {
    auto* exec = reinterpret_cast<GraphExec*>(handle);
    return state().execs.contains(exec) && exec->alive ? exec : nullptr;
}

GraphNode& addNode(Graph& graph, Work work, std::vector<GraphNode*> dependencies) {
    auto node = std::make_unique<GraphNode>(GraphNode{&graph, std::move(work), std::move(dependencies), {}});
    state().nodes.insert(node.get());
    graph.nodes.push_back(std::move(node));
    return *graph.nodes.back();
}

CUresult addNodeAt(const NodePlace& place, Work work, std::vector<Work> child) {
    Graph* graph = findGraph(place.graph);
    if (!graph || !place.node || (place.count && !place.dependencies)) return CUDA_ERROR_INVALID_VALUE;
    std::vector<GraphNode*> dependencies;
    for (size_t i = 0; i < place.count; ++i) {
        GraphNode* dependency = findNode(place.dependencies[i]);
        if (!dependency || dependency->graph != graph) return CUDA_ERROR_INVALID_VALUE;
        dependencies.push_back(dependency);
    }
    GraphNode& node = addNode(*graph, std::move(work), std::move(dependencies));
    node.child = std::move(child);
    *place.node = handleOf(&node);
    raiseNodeCreated(node);
    return CUDA_SUCCESS;
}

std::vector<Work> worksOf(const Graph& graph) {
    std::vector<Work> works;
    for (const auto& node : graph.nodes) {
        if (node->child.empty()) works.push_back(node->work);
        works.insert(works.end(), node->child.begin(), node->child.end());
    }
    return works;
}

bool updateExec(GraphExec& exec, const Graph& graph) {
    std::vector<Work> works = worksOf(graph);
    if (works.size() != exec.steps.size()) return false;
    for (size_t i = 0; i < works.size(); ++i) {
        if (works[i].type != exec.steps[i].work.type) return false;
    }
    for (size_t i = 0; i < works.size(); ++i)
        exec.steps[i].work = std::move(works[i]);
    return true;
}

CUresult launchGraph(GraphExec& exec, Stream& stream) {
    if (stream.capture) {
        Work work;
        work.type = CU_GRAPH_NODE_TYPE_GRAPH;
        std::vector<Work> child;
        for (const GraphExec::Step& step : exec.steps)
            child.push_back(step.work);
        captureWork(stream, std::move(work)).child = std::move(child);
        return CUDA_SUCCESS;
    }
    for (const GraphExec::Step& step : exec.steps) {
        if (step.work.type != CU_GRAPH_NODE_TYPE_MEM_ALLOC) continue;
        const CUresult result = useGraphMemory(step.work.details->address);
        if (result != CUDA_SUCCESS) return result;
    }
    for (const GraphExec::Step& step : exec.steps) {
        if (!step.enabled) continue;
        Work work = step.work;
        if (work.type == CU_GRAPH_NODE_TYPE_KERNEL && work.details) {
            const CUDA_KERNEL_NODE_PARAMS& p = work.details->kernel;
            work.patch = patchOf(stream, p.func, {p.gridDimX, p.gridDimY, p.gridDimZ},
                                 {p.blockDimX, p.blockDimY, p.blockDimZ}, true);
        }
        enqueue(stream, std::move(work));
        if (step.work.type == CU_GRAPH_NODE_TYPE_MEM_FREE) endGraphMemoryUse(step.work.details->address);
    }
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
