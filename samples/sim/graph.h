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
    std::vector<Work> child;  ///< of a child graph: what it runs, as it was when the node was made
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
        bool enabled = true;
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

/// Where a call adds a node: the parameters that all such calls begin with.
struct NodePlace {
    CUgraphNode* node;
    CUgraph graph;
    const CUgraphNode* dependencies;
    size_t count;
};
/// Adds a node there and raises its callbacks. Errors as the calls give them.
CUresult addNodeAt(const NodePlace& place, Work work, std::vector<Work> child = {});

GraphNode& addNode(Graph& graph, Work work, std::vector<GraphNode*> dependencies);
/// What a graph runs, in order.
std::vector<Work> worksOf(const Graph& graph);
/// Gives the steps of `exec` the parameters of `graph`'s nodes; false when the two are not alike.
bool updateExec(GraphExec& exec, const Graph& graph);
/// Enqueues all of an executable graph's work, or captures it as one node. Its allocations get memory now;
/// CUDA_ERROR_INVALID_VALUE when one of them is still in use from an earlier launch.
CUresult launchGraph(GraphExec& exec, Stream& stream);

}  // namespace vramscope::sim
