// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/graph_support.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::Finding;

constexpr std::int64_t kInput = 0x7f1200000000;

/// A graph with one node for one buffer, instantiated at 2 ms; exec 20.
struct OneNode {
    CaptureBuilder builder;
    GraphBuilder graphs{builder};

    void hold(std::int64_t buffer, const std::string& kind, const std::string& role) {
        graphs.graph(10);
        graphs.holds(graphs.node(10, 1, kind, kMs, 0), buffer, role);
        graphs.exec(20, 10, 2 * kMs);
    }
    std::vector<Finding> found() {
        return findingsOf(detectors::detectAll(*builder.load()), "corruption.use-after-free");
    }
};

TEST(GraphUseAfterFree, ACopyOfAFreedGenerationIsProven) {
    OneNode test;
    const std::int64_t old = test.builder.allocate({.address = kInput, .freeNs = 3 * kMs});
    test.builder.allocate({.address = kInput, .allocNs = 4 * kMs, .freeNs = 9 * kMs});
    test.hold(old, "copy", "source");
    test.builder.graphLaunch(2 * kMs + 10, 20);
    for (int i = 0; i < 3; ++i)
        test.builder.graphLaunch((5 + i) * kMs, 20);
    const auto found = test.found();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].confidence, Confidence::Proven);
    EXPECT_EQ(found[0].count, 3);
    EXPECT_EQ(found[0].sentence,
              "A graph uses b7f1200000000.1 (1.0 MiB of device memory), which was freed before it was "
              "launched; b7f1200000000.2 lives there now.");
}

TEST(GraphUseAfterFree, AKernelsArgumentIsPossible) {
    OneNode test;
    test.hold(test.builder.allocate({.address = kInput, .freeNs = 3 * kMs}), "kernel", "argument");
    test.builder.graphLaunch(5 * kMs, 20);
    const auto found = test.found();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].confidence, Confidence::Possible);
    EXPECT_NE(found[0].sentence.find("nothing lives there now"), std::string::npos);
}

TEST(GraphUseAfterFree, AGraphThatIsNotLaunchedAgainIsNothing) {
    OneNode test;
    test.hold(test.builder.allocate({.address = kInput, .freeNs = 3 * kMs}), "copy", "source");
    test.builder.graphLaunch(2 * kMs + 10, 20);
    EXPECT_TRUE(test.found().empty());
}

TEST(GraphUseAfterFree, AFreeThatOverlapsTheLaunchProvesNothing) {
    OneNode test;
    test.hold(test.builder.allocate({.address = kInput, .freeNs = 3 * kMs}), "copy", "source");
    test.builder.exec("UPDATE buffers SET free_exit_ns = 6000000");
    test.builder.graphLaunch(5 * kMs, 20);
    EXPECT_TRUE(test.found().empty());
}

TEST(GraphUseAfterFree, AFreeInAnotherStreamIsPossible) {
    OneNode test;
    test.hold(test.builder.allocate({.kind = "async", .address = kInput, .freeNs = 3 * kMs}), "copy",
              "source");
    test.builder.exec("UPDATE buffers SET free_stream_id = 2");
    test.builder.graphLaunch(5 * kMs, 20, 1);
    auto found = test.found();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].confidence, Confidence::Possible);
}

TEST(GraphUseAfterFree, AnUpdatedGraphIsJudgedByWhatItRunsNow) {
    OneNode test;
    const std::int64_t old = test.builder.allocate({.address = kInput, .freeNs = 3 * kMs});
    const std::int64_t fresh =
        test.builder.allocate({.address = kInput, .allocNs = 4 * kMs, .freeNs = 9 * kMs});
    test.hold(old, "copy", "source");
    test.graphs.graph(11);
    test.graphs.holds(test.graphs.node(11, 2, "copy", 4 * kMs + 1, 0), fresh, "source");
    test.graphs.takeOver(20, 11, 5 * kMs);
    test.builder.graphLaunch(6 * kMs, 20);
    EXPECT_TRUE(test.found().empty());
}

TEST(GraphUseAfterFree, AMappingThatIsPutBackIsNothing) {
    for (const char* kind : {"vmm", "ipc", "registered"}) {
        OneNode test;
        const std::int64_t old = test.builder.allocate({.kind = kind, .address = kInput, .freeNs = 3 * kMs});
        test.builder.allocate({.kind = kind, .address = kInput, .allocNs = 4 * kMs, .freeNs = 9 * kMs});
        test.hold(old, "copy", "source");
        test.builder.graphLaunch(5 * kMs, 20);
        EXPECT_TRUE(test.found().empty()) << kind;
    }
}

TEST(GraphUseAfterFree, AMappingThatIsGoneIsProven) {
    OneNode test;
    test.hold(
        test.builder.allocate({.kind = "vmm", .address = kInput, .freeNs = 3 * kMs, .endKind = "unmapped"}),
        "set", "destination");
    test.builder.graphLaunch(5 * kMs, 20);
    const auto found = test.found();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].confidence, Confidence::Proven);
}

TEST(GraphUseAfterFree, LostRecordsLeaveItPossible) {
    OneNode test;
    test.hold(test.builder.allocate({.address = kInput, .freeNs = 3 * kMs}), "copy", "source");
    test.builder.graphLaunch(5 * kMs, 20);
    test.builder.drop("ring-full", 3);
    const auto found = test.found();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].confidence, Confidence::Possible);
}

TEST(GraphUseAfterFree, MemoryThatGraphsAllocateIsMadeAnewByEachLaunch) {
    OneNode test;
    test.hold(test.builder.allocate({.kind = "graph", .address = kInput, .freeNs = 3 * kMs}), "copy",
              "source");
    test.builder.graphLaunch(5 * kMs, 20);
    EXPECT_TRUE(test.found().empty());
}

}  // namespace
}  // namespace vramscope::tests
