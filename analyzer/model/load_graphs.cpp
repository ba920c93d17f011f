// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "analyzer/model/graph_nodes.h"
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

Status loadNodes(formats::Connection& connection, Capture& capture) {
    GraphTables& graphs = capture.graphs;
    VRAMSCOPE_RETURN_IF_ERROR(loadTable(
        connection, capture.strings, graphs.graphs, "graphs",
        "graph_id, process_id, kind = 'exec', coalesce(kernel_id, 0), is_whole",
        [](RowReader& row, Graph& g) { row.read(g.id, g.processId, g.isExec, g.kernelId, g.isWhole); }));
    VRAMSCOPE_RETURN_IF_ERROR(loadTable(
        connection, capture.strings, graphs.nodes, "graph_nodes",
        "graph_node_id, process_id, graph_id, node, kind, child_graph_id, is_enabled, is_cut, start_ns, "
        "end_ns,"
        " stack_id, (SELECT name FROM kernels k WHERE k.kernel_id = graph_nodes.kernel_id)",
        [](RowReader& row, GraphNode& n) {
            row.read(n.id, n.processId, n.graphId, n.node, n.kind, n.childGraphId, n.isEnabled, n.isCut);
            row.readTime(n.startNs);
            row.readTime(n.endNs);
            row.read(n.stackId, n.kernelName);
        }));
    VRAMSCOPE_RETURN_IF_ERROR(readRows(
        connection, capture.strings, "graph_versions",
        "SELECT process_id, graph_id, source_graph_id, enter_ns, exit_ns, stack_id FROM graph_versions"
        " ORDER BY exit_ns",
        [&](RowReader& row) {
            GraphVersion& v = graphs.versions.emplace_back();
            row.read(v.processId, v.graphId, v.sourceId);
            row.readTime(v.enterNs);
            row.readTime(v.exitNs);
            row.read(v.stackId);
        }));
    return readRows(connection, capture.strings, "graph_node_addresses",
                    "SELECT graph_node_id, buffer_id, coalesce(offset, 0), size_bytes, role = 'argument' FROM"
                    " graph_node_addresses WHERE buffer_id IS NOT NULL ORDER BY graph_node_id",
                    [&](RowReader& row) {
                        NodeAddress& a = graphs.addresses.emplace_back();
                        row.read(a.nodeId, a.bufferId, a.offset);
                        row.readBytes(a.sizeBytes);
                        row.read(a.isArgument);
                    });
}

Status loadMemoryOfGraphs(formats::Connection& connection, Capture& capture) {
    GraphTables& graphs = capture.graphs;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "graph_allocations",
                                       "SELECT buffer_id, exec_id FROM graph_allocations",
                                       [&](RowReader& row) {
                                           BufferId buffer;
                                           ObjectId exec;
                                           row.read(buffer, exec);
                                           graphs.execOfBuffer[buffer.value] = exec;
                                       }));
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "buffers",
                                       "SELECT buffer_id, free_exit_ns, free_stream_id FROM buffers WHERE "
                                       "free_ns IS NOT NULL AND buffer_id IN"
                                       " (SELECT buffer_id FROM graph_node_addresses)",
                                       [&](RowReader& row) {
                                           BufferId buffer;
                                           NodeBufferEnd end;
                                           row.read(buffer);
                                           row.readTime(end.freeExitNs);
                                           row.read(end.freeStreamId);
                                           graphs.bufferEnds[buffer.value] = end;
                                       }));
    return readRows(connection, capture.strings, "graph_memory_samples",
                    "SELECT time_ns, process_id, device_id, reserved_bytes FROM graph_memory_samples"
                    " ORDER BY time_ns",
                    [&](RowReader& row) {
                        GraphMemorySample& s = graphs.memorySamples.emplace_back();
                        row.readTime(s.timeNs);
                        row.read(s.processId, s.deviceId);
                        row.readBytes(s.reservedBytes);
                    });
}

/// Launches whose graph has no row make a process one whose uses are not known.
Status loadLaunches(formats::Connection& connection, Capture& capture,
                    std::map<ProcessId, bool>& allAreKnown) {
    GraphTables& graphs = capture.graphs;
    std::map<std::int64_t, ObjectId> execOfKernel;
    for (const Graph& graph : graphs.graphs) {
        if (graph.kernelId != 0) execOfKernel[graph.kernelId] = graph.id;
    }
    return readRows(
        connection, capture.strings, "launches",
        "SELECT process_id, kernel_id, stream_id, enter_ns, exit_ns, stack_id FROM launches"
        " WHERE result = 0 AND kernel_id IN (SELECT kernel_id FROM kernels WHERE name = '(graph)')"
        " ORDER BY enter_ns",
        [&](RowReader& row) {
            GraphLaunch launch;
            std::int64_t kernel = 0;
            row.read(launch.processId, kernel, launch.streamId);
            row.readTime(launch.enterNs);
            row.readTime(launch.exitNs);
            row.read(launch.stackId);
            const auto exec = execOfKernel.find(kernel);
            bool& isKnown = allAreKnown.emplace(launch.processId, true).first->second;
            isKnown = isKnown && exec != execOfKernel.end();
            if (exec == execOfKernel.end()) return;
            launch.execId = exec->second;
            graphs.launches.push_back(launch);
        });
}

/// Graph launches use what their nodes hold: the last launch of each state of each graph stands for all.
void noteUses(Capture& capture, std::map<ProcessId, bool>& allAreKnown) {
    const GraphTables& graphs = capture.graphs;
    const GraphNodes nodes(graphs);
    struct Last {
        const GraphLaunch* launch;
        std::int64_t changeNs;
    };
    std::map<ObjectId, std::vector<Last>> lastOf;
    for (const GraphLaunch& launch : graphs.launches) {
        std::vector<Last>& states = lastOf[launch.execId];
        const std::int64_t changeNs = nodes.lastChangeAt(launch.execId, launch.enterNs);
        if (states.empty() || states.back().changeNs != changeNs) states.push_back({&launch, changeNs});
        states.back().launch = &launch;
    }
    for (const auto& [exec, states] : lastOf) {
        for (const Last& last : states) {
            const RunningNodes running = nodes.at(exec, last.launch->enterNs);
            bool& isKnown = allAreKnown[last.launch->processId];
            isKnown = isKnown && running.isCertain;
            for (const GraphNode* node : running.nodes) {
                if (node->isCut) isKnown = false;
                for (auto a = graphs.firstAddressOf(node->id);
                     a != graphs.addresses.end() && a->nodeId == node->id; ++a) {
                    std::int64_t& lastNs =
                        capture.lastUseNs.emplace(a->bufferId.value, last.launch->enterNs).first->second;
                    lastNs = std::max(lastNs, last.launch->enterNs);
                }
            }
        }
    }
}

}  // namespace

Status loadGraphs(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(loadNodes(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadMemoryOfGraphs(connection, capture));
    if (!capture.activityIsWhole || capture.graphs.graphs.empty()) return Status::ok();
    std::map<ProcessId, bool> allAreKnown;
    for (const Graph& graph : capture.graphs.graphs)
        allAreKnown.emplace(graph.processId, true);
    VRAMSCOPE_RETURN_IF_ERROR(loadLaunches(connection, capture, allAreKnown));
    noteUses(capture, allAreKnown);
    for (const auto& [process, isKnown] : allAreKnown) {
        if (isKnown) capture.graphs.usesAreKnown.insert(process);
    }
    return Status::ok();
}

}  // namespace vramscope::model
