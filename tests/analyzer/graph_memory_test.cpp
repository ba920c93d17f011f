// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/graph_support.h"

namespace vramscope::tests {
namespace {

using detectors::detectAll;

/// Twelve graphs, each launched once; each launch leaves a block.
void leaveBlocks(CaptureBuilder& builder, GraphBuilder& graphs) {
    const std::int64_t stack = builder.stack({"/opt/app/train!captureScratch", "/opt/app/train!main"});
    for (int i = 0; i < 12; ++i) {
        const std::int64_t start = (10 + 10 * i) * kMs;
        graphs.graph(100 + i);
        graphs.node(100 + i, 500 + i, "alloc", start);
        graphs.exec(200 + i, 100 + i, start + kMs);
        builder.graphLaunch(start + 2 * kMs, 200 + i);
        const std::int64_t block =
            builder.allocate({.kind = "graph", .allocNs = start + 2 * kMs + 1, .stack = stack});
        builder.exec("INSERT INTO graph_allocations(buffer_id, exec_id) VALUES(" + std::to_string(block) +
                     "," + std::to_string(200 + i) + ")");
        builder.sync(start + 3 * kMs);
    }
}

TEST(GraphMemory, BlocksThatGraphsLeaveGrowAndTheirGraphsAreGone) {
    CaptureBuilder builder;
    GraphBuilder graphs(builder);
    leaveBlocks(builder, graphs);
    const auto found = findingsOf(detectAll(*builder.load()), "leak.growth");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].count, 12);
    EXPECT_EQ(found[0].confidence, detectors::Confidence::Proven);
    bool saysSo = false;
    for (const std::string& fact : found[0].evidence)
        saysSo = saysSo || fact.find("The executable graphs of 12 of them, 12.0 MiB, were destroyed") == 0;
    EXPECT_TRUE(saysSo);
}

TEST(GraphMemory, GrowthIsOnlyPossibleWhereAGraphsNodesAreNotAllKnown) {
    CaptureBuilder builder;
    GraphBuilder graphs(builder);
    leaveBlocks(builder, graphs);
    builder.exec("UPDATE graphs SET is_whole = 0 WHERE graph_id = 100");
    const auto found = findingsOf(detectAll(*builder.load()), "leak.growth");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].confidence, detectors::Confidence::Possible);
}

TEST(GraphMemory, WhatAGraphReadsLaterIsNoLeak) {
    CaptureBuilder builder;
    GraphBuilder graphs(builder);
    const std::int64_t stack = builder.stack({"/opt/app/train!collect", "/opt/app/train!main"});
    graphs.graph(10);
    const std::int64_t node = graphs.node(10, 1, "kernel", kMs);
    for (int i = 0; i < 12; ++i) {
        graphs.holds(node, builder.allocate({.allocNs = (10 + 10 * i) * kMs, .stack = stack}), "argument");
        builder.sync((15 + 10 * i) * kMs);
    }
    graphs.exec(20, 10, 190 * kMs);
    builder.graphLaunch(200 * kMs, 20);
    EXPECT_TRUE(findingsOf(detectAll(*builder.load()), "leak.growth").empty());
}

/// One graph, destroyed at 9 s, and what its process held for graphs at `timeNs`.
std::vector<detectors::Finding> cachesAt(std::int64_t timeNs, std::int64_t reservedBytes, bool hasBlock) {
    CaptureBuilder builder;
    GraphBuilder graphs(builder);
    graphs.graph(10);
    graphs.exec(20, 10, 2 * kMs);
    if (hasBlock) builder.allocate({.kind = "graph", .allocNs = 3 * kMs});
    builder.exec(
        "INSERT INTO graph_memory_samples(time_ns, process_id, device_id, reserved_bytes, used_bytes) "
        "VALUES(" +
        std::to_string(timeNs) + ", 1, 1, " + std::to_string(reservedBytes) + ", 0)");
    return findingsOf(detectAll(*builder.load()), "fit.pool-cache");
}

TEST(GraphMemory, WhatGraphsLeftWithTheDriverIsACache) {
    const std::int64_t afterwards = 9500 * kMs;
    const auto found = cachesAt(afterwards, 64 * kMiB, false);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].findingClass, detectors::FindingClass::PoolCache);
    EXPECT_EQ(found[0].bytes, 64 * kMiB);
    EXPECT_TRUE(cachesAt(500 * kMs, 64 * kMiB, false).empty()) << "the graph may be launched again";
    EXPECT_TRUE(cachesAt(afterwards, 64 * kMiB, true).empty()) << "a block of it lives";
    EXPECT_TRUE(cachesAt(afterwards, 0, false).empty()) << "it was trimmed";
}

}  // namespace
}  // namespace vramscope::tests
