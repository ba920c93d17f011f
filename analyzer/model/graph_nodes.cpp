// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/graph_nodes.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace vramscope::model {
namespace {

/// Graphs in graphs in graphs: a capture made to do harm could go on for ever.
constexpr int kMostDepth = 16;
constexpr std::size_t kMostNodes = 10'000'000;

}  // namespace

std::vector<NodeAddress>::const_iterator GraphTables::firstAddressOf(GraphNodeId node) const {
    return std::lower_bound(addresses.begin(), addresses.end(), node,
                            [](const NodeAddress& a, GraphNodeId wanted) { return a.nodeId < wanted; });
}

GraphNodes::GraphNodes(const GraphTables& tables) : m_tables(tables) {
    for (const GraphNode& node : tables.nodes)
        m_nodes[node.graphId].push_back(&node);
    for (auto& [graph, nodes] : m_nodes) {
        std::stable_sort(nodes.begin(), nodes.end(),
                         [](const GraphNode* a, const GraphNode* b) { return a->startNs < b->startNs; });
    }
    for (const GraphVersion& version : tables.versions) {
        m_versions[version.graphId].push_back(&version);
        m_changesNs[version.graphId].push_back(version.exitNs);
    }
    for (const GraphNode& node : tables.nodes) {
        m_changesNs[node.graphId].push_back(node.startNs);
        if (node.endNs != kNever) m_changesNs[node.graphId].push_back(node.endNs);
    }
    for (auto& [graph, changesNs] : m_changesNs)
        std::sort(changesNs.begin(), changesNs.end());
}

const GraphVersion* GraphNodes::versionAt(ObjectId graph, std::int64_t timeNs) const {
    const auto found = m_versions.find(graph);
    if (found == m_versions.end()) return nullptr;
    const auto after = std::upper_bound(found->second.begin(), found->second.end(), timeNs,
                                        [](std::int64_t t, const GraphVersion* v) { return t < v->exitNs; });
    return after != found->second.begin() ? *std::prev(after) : nullptr;
}

std::int64_t GraphNodes::lastChangeAt(ObjectId graph, std::int64_t timeNs) const {
    const auto found = m_changesNs.find(graph);
    if (found == m_changesNs.end()) return 0;
    const auto after = std::upper_bound(found->second.begin(), found->second.end(), timeNs);
    return after != found->second.begin() ? *std::prev(after) : 0;
}

void GraphNodes::collect(ObjectId graph, std::int64_t timeNs, int depth, RunningNodes& found) const {
    const Graph* row = m_tables.graphs.find(graph);
    if (!row || depth > kMostDepth || found.nodes.size() > kMostNodes) {
        found.isCertain = false;
        return;
    }
    if (!row->isWhole) found.isCertain = false;
    const GraphVersion* version = versionAt(graph, timeNs);
    RunningNodes taken;
    if (version)
        collect(version->sourceId, version->exitNs, depth + 1, taken);
    else if (row->isExec)
        found.isCertain = false;
    const std::int64_t sinceNs = version ? version->exitNs : 0;
    const auto own = m_nodes.find(graph);
    if (own != m_nodes.end()) {
        std::set<std::int64_t> replaced;
        for (const GraphNode* node : own->second) {
            // A disabled node stays disabled through an update, its own parameters do not.
            if (!node->holdsAt(timeNs) || (node->isEnabled && node->startNs < sinceNs)) continue;
            if (row->isExec) replaced.insert(node->node);
            if (node->isEnabled) found.nodes.push_back(node);
        }
        for (const std::int64_t handle : replaced) {
            const auto isReplaced = [handle](const GraphNode* n) { return n->node == handle; };
            if (std::erase_if(taken.nodes, isReplaced) == 0) found.isCertain = false;
        }
    }
    found.isCertain = found.isCertain && taken.isCertain;
    for (const GraphNode* node : taken.nodes)
        found.nodes.push_back(node);
}

RunningNodes GraphNodes::at(ObjectId graph, std::int64_t timeNs) const {
    RunningNodes found;
    collect(graph, timeNs, 0, found);
    // A row that is met again brings nothing new, and could go on for ever.
    std::set<GraphNodeId> expanded;
    for (std::size_t i = 0; i < found.nodes.size(); ++i) {
        const GraphNode& node = *found.nodes[i];
        if (node.kind == "conditional") found.isCertain = false;
        if (node.kind != "child" || !expanded.insert(node.id).second) continue;
        if (node.childGraphId.isNone() || found.nodes.size() > kMostNodes) {
            found.isCertain = false;
            continue;
        }
        // A child is copied when its node is made. What it holds is put behind, and looked at in turn.
        collect(node.childGraphId, node.startNs, 1, found);
    }
    return found;
}

}  // namespace vramscope::model
