// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "samples/sim/node_work.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {

/// A node of a graph: work that runs at each launch.
struct GraphNode {
    Graph* graph = nullptr;
    Work work;
    std::vector<GraphNode*> dependencies;
};

/// A graph. Nodes only depend on older ones, so their order is an order to run them in. Never deleted, so
/// that a stale handle is recognised; guarded by the driver's lock.
struct Graph {
    bool alive = true;
    std::vector<std::unique_ptr<GraphNode>> nodes;
};

/// An executable graph: a copy of the nodes as they were.
struct GraphExec {
    bool alive = true;
    Graph* graph = nullptr;
    struct Step {
        const GraphNode* node;
        Work work;
    };
    std::vector<Step> steps;
};

inline CUgraph handleOf(Graph* graph) {
    return reinterpret_cast<CUgraph>(graph);
}
inline CUgraphNode handleOf(GraphNode* node) {
    return reinterpret_cast<CUgraphNode>(node);
}
inline CUgraphExec handleOf(GraphExec* exec) {
    return reinterpret_cast<CUgraphExec>(exec);
}

Graph* newGraph();
/// A graph of its own with the same nodes.
Graph* cloneGraph(const Graph& graph);
GraphExec* newGraphExec(Graph& graph);
/// Null for a handle that is none or destroyed.
Graph* findGraph(CUgraph handle);
GraphNode* findNode(CUgraphNode handle);
GraphExec* findExec(CUgraphExec handle);

GraphNode& addNode(Graph& graph, Work work, std::vector<GraphNode*> dependencies);
/// Enqueues all of an executable graph's work. Its allocations get memory now; CUDA_ERROR_INVALID_VALUE when
/// one of them is still in use from an earlier launch.
CUresult launchGraph(GraphExec& exec, Stream& stream);

}  // namespace vramscope::sim
