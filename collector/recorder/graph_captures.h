// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "collector/recorder/graph_drafts.h"

namespace vramscope::collector {

/// The stream captures that are open in one process, and the nodes that they have made so far. CUPTI
/// announces most nodes with their graph just before the call's own record, on the same thread; where it does
/// not, the stream tells whose they are, or that only one capture is open.
class GraphCaptures {
public:
    /// A node of graph `graph` was announced by the record.
    void announce(const ResolvedCall& call);
    /// What `call` announced is told elsewhere: it is no captured work.
    void forgetAnnounced(const ResolvedCall& call);

    void begin(std::int64_t streamId, std::uint64_t graph);
    /// Adds a captured call's node.
    void add(const ResolvedCall& call, std::int64_t streamId, NodeDraft draft);
    /// The capture that began on the stream is over and gave `graph`, 0 if it failed: its nodes in the order
    /// of their calls. `isWhole` is false when some of them are missing.
    std::vector<NodeDraft> end(std::int64_t streamId, std::uint64_t graph, bool& isWhole);

private:
    struct Announced {
        std::uint64_t ticks;
        std::uint64_t graph;
        std::uint64_t node;
        formats::GraphNodeKind kind;
        std::int64_t threadId;
    };
    struct Open {
        std::uint64_t graph;             ///< 0 not known yet
        std::vector<NodeDraft> unnamed;  ///< nodes that nobody announced
    };

    void keep(std::uint64_t graph, NodeDraft draft);
    void keepBare(const Announced& announced);

    std::map<std::int64_t, Open> m_open;                                   ///< by the stream it began on
    std::unordered_map<std::uint64_t, std::vector<NodeDraft>> m_named;     ///< by CUgraph
    std::unordered_map<std::int64_t, std::vector<Announced>> m_announced;  ///< by thread, oldest first
    std::size_t m_kept = 0;
    bool m_isWhole = true;  ///< nothing was dropped since the last moment without an open capture
};

}  // namespace vramscope::collector
