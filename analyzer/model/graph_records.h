// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/model/amounts.h"
#include "analyzer/model/ids.h"
#include "analyzer/model/table.h"

/// Rows of a capture about graphs; formats/schema.sql says what each column means.
namespace vramscope::model {

using GraphNodeId = Id<struct GraphNodeTag>;

struct Graph {
    ObjectId id;
    ProcessId processId;
    bool isExec = false;
    std::int64_t kernelId = 0;  ///< 0: a graph that is not launched itself
    bool isWhole = true;
};

/// From exitNs on `graphId` runs what `sourceId` had then, and no longer what it took before.
struct GraphVersion {
    ProcessId processId;
    ObjectId graphId;
    ObjectId sourceId;
    std::int64_t enterNs = 0;
    std::int64_t exitNs = 0;
    StackId stackId;
};

struct GraphNode {
    GraphNodeId id;
    ProcessId processId;
    ObjectId graphId;
    std::int64_t node = 0;
    std::string_view kind;
    ObjectId childGraphId;
    bool isEnabled = true;
    bool isCut = false;
    std::int64_t startNs = 0;
    std::int64_t endNs = kNever;
    StackId stackId;
    std::string_view kernelName;

    bool holdsAt(std::int64_t timeNs) const { return startNs <= timeNs && timeNs < endNs; }
};

struct NodeAddress {
    GraphNodeId nodeId;
    BufferId bufferId;
    std::int64_t offset = 0;
    std::int64_t sizeBytes = 0;  ///< 0: a pointer that a kernel is given
    bool isArgument = false;
};

struct GraphLaunch {
    ProcessId processId;
    ObjectId execId;
    StreamId streamId;
    std::int64_t enterNs = 0;
    std::int64_t exitNs = 0;
    StackId stackId;
};

/// What is known about the end of a buffer that a node points at beyond its row in Capture::buffers.
struct NodeBufferEnd {
    std::int64_t freeExitNs = kNever;
    StreamId freeStreamId;  ///< of an ordered free
};

struct GraphMemorySample {
    std::int64_t timeNs = 0;
    ProcessId processId;
    DeviceId deviceId;
    std::int64_t reservedBytes = 0;
};

/// Everything about graphs. Filled by the loader, then only read.
struct GraphTables {
    Table<Graph, ObjectId> graphs;
    Table<GraphNode, GraphNodeId> nodes;
    std::vector<GraphVersion> versions;            ///< by exitNs
    std::vector<NodeAddress> addresses;            ///< by node
    std::vector<GraphLaunch> launches;             ///< by enterNs; empty when the events were too many
    std::vector<GraphMemorySample> memorySamples;  ///< by time
    std::unordered_map<std::int64_t, ObjectId> execOfBuffer;     ///< who allocated a buffer of kind graph
    std::unordered_map<std::int64_t, NodeBufferEnd> bufferEnds;  ///< by buffer
    /// Processes all of whose graph launches are known with every address that their nodes hold.
    std::set<ProcessId> usesAreKnown;

    /// The addresses of one node.
    std::vector<NodeAddress>::const_iterator firstAddressOf(GraphNodeId node) const;
};

}  // namespace vramscope::model
