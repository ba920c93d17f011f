// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/recorder/graph_captures.h"
#include "collector/recorder/graph_drafts.h"

namespace vramscope::collector {

/// Graphs of one process: what nodes they have, where the nodes of executable graphs come from, and the
/// memory that launches allocate and free.
class GraphTable {
public:
    GraphTable(ProcessScope& scope, IdentityTables& identities, MemoryResolver& memory, ObjectTable& objects,
               EventResolver& events)
        : m_scope(scope),
          m_identities(identities),
          m_memory(memory),
          m_objects(objects),
          m_events(events),
          m_drafts(events, memory.addresses(), objects) {}

    /// An object of kind graph or graph-exec got its row, or is about to lose it; other kinds are none of
    /// ours. `wasKnown` says that a capture gave back a graph that had its row.
    void objectCreated(const ResolvedCall& call, bool wasKnown);
    void objectDestroyed(const ResolvedCall& call);
    void graphCall(const ResolvedCall& call);
    void node(const ResolvedCall& call);
    /// A call that a capture turned into a node.
    void captured(const ResolvedCall& call);
    /// A graph was launched: what it allocates lives, what it frees ends.
    void launched(const ResolvedCall& call);
    void memorySample(const ResolvedCall& call);

private:
    struct Memory {
        std::uint64_t address;
        std::uint64_t sizeBytes;
        std::int64_t nodeId;
        std::int64_t stackId;
    };
    /// A graph, or an executable one.
    struct Graph {
        std::int64_t id = 0;
        std::vector<Memory> allocated;
        std::vector<std::uint64_t> freed;
        std::vector<std::uint64_t> nodes;  ///< handles in m_nodes
    };
    struct Node {
        std::int64_t rowId;
        std::uint64_t graph;
        formats::GraphNodeKind kind;
    };
    /// What a process's graphs were last seen to hold.
    struct Sample {
        std::uint64_t reservedBytes = ~0ull;
        std::uint64_t usedBytes = ~0ull;
    };

    /// The graph or executable graph that a handle names; one that an interrupted recording knew has its row
    /// and no more. Null for one made before recording began.
    Graph* find(formats::ObjectKind kind, std::uint64_t handle);
    std::int64_t idOf(formats::ObjectKind kind, std::uint64_t handle) {
        const Graph* graph = find(kind, handle);
        return graph != nullptr ? graph->id : 0;
    }
    void insertGraph(const ResolvedCall& call, std::int64_t id, const char* kind, const char* origin);
    void takeOver(const ResolvedCall& call, std::int64_t graphId, std::int64_t sourceId);
    void captureEnded(const ResolvedCall& call);
    void nodeEnabled(const ResolvedCall& call);
    /// Writes the node; returns its row's id.
    std::int64_t insertNode(std::int64_t graphId, const NodeDraft& draft, bool isEnabled = true);
    void addNode(std::uint64_t handle, Graph& graph, const NodeDraft& draft);
    void endNode(std::int64_t rowId, std::uint64_t timeTicks);
    void allocate(const ResolvedCall& call, const Graph& exec, const Memory& memory);
    std::int64_t deviceOf(std::int64_t ordinal) const {
        return m_identities.deviceOfOrdinal(static_cast<std::int32_t>(ordinal));
    }

    ProcessScope& m_scope;
    IdentityTables& m_identities;
    MemoryResolver& m_memory;
    ObjectTable& m_objects;
    EventResolver& m_events;
    GraphDrafts m_drafts;
    GraphCaptures m_captures;
    std::unordered_map<std::uint64_t, Graph> m_graphs;         ///< by CUgraph
    std::unordered_map<std::uint64_t, Graph> m_execs;          ///< by CUgraphExec
    std::unordered_map<std::uint64_t, Node> m_nodes;           ///< by CUgraphNode
    using ExecNode = std::pair<std::uint64_t, std::uint64_t>;  ///< exec and node
    std::map<ExecNode, std::int64_t> m_execNodes;      ///< rows of nodes whose parameters an exec has its own
    std::map<ExecNode, std::int64_t> m_disabledNodes;  ///< rows that say that a node is disabled
    std::map<std::int64_t, Sample> m_samples;          ///< by device ordinal
};

}  // namespace vramscope::collector
