// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/graph_nodes.h"

#include <gtest/gtest.h>

#include "tests/analyzer/graph_support.h"

namespace vramscope::tests {
namespace {

using model::GraphNodes;
using model::ObjectId;

/// The rows of the nodes that a graph runs, in the order in which they were made.
std::vector<std::int64_t> nodesAt(const model::Capture& capture, std::int64_t graph, std::int64_t timeNs,
                                  bool isCertain = true) {
    const model::RunningNodes running = GraphNodes(capture.graphs).at(ObjectId{graph}, timeNs);
    EXPECT_EQ(running.isCertain, isCertain);
    std::vector<std::int64_t> rows;
    for (const model::GraphNode* node : running.nodes)
        rows.push_back(node->id.value);
    std::sort(rows.begin(), rows.end());
    return rows;
}

using Rows = std::vector<std::int64_t>;

TEST(GraphNodes, AnExecRunsWhatItsGraphHadWhenItWasMade) {
    CaptureBuilder builder;
    GraphBuilder graphs(builder);
    graphs.graph(10);
    graphs.node(10, 1, "copy", kMs);
    graphs.exec(20, 10, 2 * kMs);
    graphs.node(10, 2, "set", 3 * kMs);
    const auto capture = builder.load();
    EXPECT_EQ(nodesAt(*capture, 20, 4 * kMs), Rows{1});
    EXPECT_EQ(nodesAt(*capture, 10, 4 * kMs), (Rows{1, 2}));
}

TEST(GraphNodes, AnUpdateTakesTheNodesOfAnotherGraph) {
    CaptureBuilder builder;
    GraphBuilder graphs(builder);
    graphs.graph(10);
    graphs.graph(11);
    graphs.node(10, 1, "copy", kMs);
    graphs.node(11, 2, "copy", kMs);
    graphs.exec(20, 10, 2 * kMs);
    graphs.takeOver(20, 11, 4 * kMs);
    const auto capture = builder.load();
    EXPECT_EQ(nodesAt(*capture, 20, 3 * kMs), Rows{1});
    EXPECT_EQ(nodesAt(*capture, 20, 5 * kMs), Rows{2});
    const GraphNodes nodes(capture->graphs);
    EXPECT_EQ(nodes.lastChangeAt(ObjectId{20}, 5 * kMs), 4 * kMs);
    EXPECT_EQ(nodes.lastChangeAt(ObjectId{20}, 3 * kMs), 2 * kMs);
}

TEST(GraphNodes, ParametersSetInAnExecReplaceThoseOfItsGraphUntilAnUpdate) {
    CaptureBuilder builder;
    GraphBuilder graphs(builder);
    graphs.graph(10);
    graphs.node(10, 1, "copy", kMs);
    graphs.node(10, 2, "kernel", kMs);
    graphs.exec(20, 10, 2 * kMs);
    graphs.node(20, 1, "copy", 3 * kMs);
    graphs.takeOver(20, 10, 5 * kMs);
    const auto capture = builder.load();
    EXPECT_EQ(nodesAt(*capture, 20, 4 * kMs), (Rows{2, 3}));
    EXPECT_EQ(nodesAt(*capture, 20, 6 * kMs), (Rows{1, 2}));
}

TEST(GraphNodes, AChildGraphRunsAsItWasWhenItsNodeWasMade) {
    CaptureBuilder builder;
    GraphBuilder graphs(builder);
    graphs.graph(10);
    graphs.graph(11);
    graphs.node(11, 1, "copy", kMs);
    graphs.node(10, 2, "child", 2 * kMs, 11);
    graphs.node(11, 3, "set", 3 * kMs);
    graphs.exec(20, 10, 4 * kMs);
    EXPECT_EQ(nodesAt(*builder.load(), 20, 5 * kMs), (Rows{1, 2}));
}

TEST(GraphNodes, WhatIsNotKnownIsSaid) {
    CaptureBuilder builder;
    GraphBuilder graphs(builder);
    graphs.graph(10, false);
    graphs.exec(20, 10, 2 * kMs);
    graphs.graph(11);
    graphs.node(11, 1, "conditional", kMs);
    graphs.exec(21, 11, 2 * kMs);
    graphs.graph(12);
    graphs.exec(22, 12, 2 * kMs);
    graphs.node(22, 99, "copy", 3 * kMs);  // of a node that the graph does not have
    graphs.exec(23, 404, 2 * kMs);
    const auto capture = builder.load();
    EXPECT_EQ(nodesAt(*capture, 20, 5 * kMs, false), Rows{});
    EXPECT_EQ(nodesAt(*capture, 21, 5 * kMs, false), Rows{1});
    EXPECT_EQ(nodesAt(*capture, 22, 5 * kMs, false), Rows{2});
    EXPECT_EQ(nodesAt(*capture, 23, 5 * kMs, false), Rows{});
}

TEST(GraphNodes, AGraphThatIsItsOwnChildEnds) {
    CaptureBuilder builder;
    GraphBuilder graphs(builder);
    graphs.graph(10);
    graphs.takeOver(10, 10, kMs);
    graphs.node(10, 1, "child", 2 * kMs, 10);
    nodesAt(*builder.load(), 10, 5 * kMs, false);
}

}  // namespace
}  // namespace vramscope::tests
