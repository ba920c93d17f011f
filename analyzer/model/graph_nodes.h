// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "analyzer/model/graph_records.h"

namespace vramscope::model {

/// Nodes that a graph runs.
struct RunningNodes {
    std::vector<const GraphNode*> nodes;
    /// False when there may be others, or when one of these may not run: the source is not known, a node was
    /// changed in a way that no row tells, or the graph decides by itself what runs.
    bool isCertain = true;
};

/// What graphs run at a moment, through instantiation, updates, changed parameters and child graphs. Built
/// once; then any thread may ask.
class GraphNodes {
public:
    explicit GraphNodes(const GraphTables& tables);

    RunningNodes at(ObjectId graph, std::int64_t timeNs) const;
    /// The latest moment up to `timeNs` at which the answer for `graph` could have changed.
    std::int64_t lastChangeAt(ObjectId graph, std::int64_t timeNs) const;
    /// The row of the call that made the graph run what it runs; nullptr when there is none.
    const GraphVersion* versionAt(ObjectId graph, std::int64_t timeNs) const;

private:
    void collect(ObjectId graph, std::int64_t timeNs, int depth, RunningNodes& found) const;

    const GraphTables& m_tables;
    std::map<ObjectId, std::vector<const GraphNode*>> m_nodes;        // by graph, by startNs
    std::map<ObjectId, std::vector<const GraphVersion*>> m_versions;  // by graph, by exitNs
    std::map<ObjectId, std::vector<std::int64_t>> m_changesNs;
};

}  // namespace vramscope::model
