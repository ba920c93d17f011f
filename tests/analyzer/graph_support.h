// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {

/// Graphs in a capture under construction. Ids are the test's own choice: a graph's is that of its object.
class GraphBuilder {
public:
    explicit GraphBuilder(CaptureBuilder& builder) : m_builder(builder) {}

    void graph(std::int64_t id, bool isWhole = true) const {
        object(id, "graph");
        m_builder.exec(
            fmt::format("INSERT INTO graphs(graph_id, process_id, kind, origin, flags, is_whole) "
                        "VALUES({}, 1, 'graph', 'captured', 0, {})",
                        id, isWhole ? 1 : 0));
    }
    /// Instantiated from `source`; launches name it by kernel `id`.
    void exec(std::int64_t id, std::int64_t source, std::int64_t atNs) const {
        object(id, "graph-exec");
        m_builder.exec(
            fmt::format("INSERT INTO kernels(kernel_id, process_id, handle, name) "
                        "VALUES({}, 1, {}, '(graph)')",
                        id, 0x9000 + id));
        m_builder.exec(
            fmt::format("INSERT INTO graphs(graph_id, process_id, kind, origin, flags, kernel_id, "
                        "is_whole) VALUES({}, 1, 'exec', 'instantiated', 0, {}, 1)",
                        id, id));
        takeOver(id, source, atNs);
    }
    void takeOver(std::int64_t graph, std::int64_t source, std::int64_t atNs) const {
        m_builder.exec(
            fmt::format("INSERT INTO graph_versions(process_id, graph_id, source_graph_id, api, "
                        "enter_ns, exit_ns) VALUES(1, {}, {}, 'cuGraphInstantiate', {}, {})",
                        graph, source, atNs - 10, atNs));
    }
    /// A node from `startNs` on; returns its row.
    std::int64_t node(std::int64_t graph, std::int64_t handle, const std::string& kind, std::int64_t startNs,
                      std::int64_t child = 0) {
        m_builder.exec(fmt::format(
            "INSERT INTO graph_nodes(graph_node_id, process_id, graph_id, node, kind, child_graph_id, "
            "is_captured, is_enabled, is_cut, start_ns) VALUES({}, 1, {}, {}, '{}', nullif({}, 0), 1, 1, 0, "
            "{})",
            ++m_lastNode, graph, handle, kind, child, startNs));
        return m_lastNode;
    }
    void holds(std::int64_t node, std::int64_t buffer, const std::string& role) const {
        m_builder.exec(
            fmt::format("INSERT INTO graph_node_addresses(graph_node_id, role, buffer_id, offset, "
                        "address, size_bytes) VALUES({}, '{}', {}, 0, 0, 4096)",
                        node, role, buffer));
    }

private:
    void object(std::int64_t id, const std::string& kind) const {
        m_builder.exec(
            fmt::format("INSERT INTO objects(object_id, process_id, kind, handle, create_ns, "
                        "destroy_ns, end_kind) VALUES({}, 1, '{}', {}, 0, 9000000000, 'destroyed')",
                        id, kind, 0x9000 + id));
    }

    CaptureBuilder& m_builder;
    std::int64_t m_lastNode = 0;
};

}  // namespace vramscope::tests
