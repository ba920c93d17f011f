// SPDX-License-Identifier: Apache-2.0
#include "gui/models/stack_tree.h"

#include <gtest/gtest.h>

#include "tests/gui/gui_capture.h"

namespace vramscope::gui {
namespace {

class StackTreeTest : public testing::Test {
protected:
    static tests::CaptureBuilder built() {
        tests::CaptureBuilder builder;
        const std::int64_t a = builder.stack({"/usr/lib/libcuda.so.1!cuMemAlloc_v2",
                                              "/opt/app/train!leaf@a.cpp:5", "/opt/app/train!main@m.cpp:1"});
        const std::int64_t b = builder.stack({"/usr/lib/libcuda.so.1!cuMemAlloc_v2",
                                              "/opt/app/train!leaf@a.cpp:9", "/opt/app/train!main@m.cpp:2"});
        const std::int64_t c = builder.stack({"/opt/app/train!other@b.cpp:5", "/opt/app/train!main@m.cpp:3"});
        builder.allocate({.bytes = 100, .allocNs = 1000, .stack = a});
        builder.allocate({.bytes = 50, .allocNs = 2000, .freeNs = 5'000'000'000, .stack = b});
        builder.allocate({.bytes = 7, .allocNs = 3000, .freeNs = 4000, .stack = c});
        builder.allocate({.kind = "pinned", .bytes = 1'000'000, .allocNs = 3000, .stack = c});
        return builder;
    }
    StackTree tree(const StackQuestion& question) const {
        StackQuestion asked = question;
        asked.endNs = 10'000'000'000;
        const Cancel cancel;
        return buildStackTree(m_capture.sources(), BufferFilter(), asked, cancel);
    }
    tests::CaptureBuilder m_builder = built();
    tests::GuiCapture m_capture{m_builder};
};

TEST_F(StackTreeTest, OneFunctionIsOneNodeWhateverItsLine) {
    const StackTree top = tree({.metric = StackMetric::Peak});
    EXPECT_EQ(top.nodes.front().bytes, 157);
    EXPECT_EQ(top.atNs, 3000);
    ASSERT_EQ(top.nodes.front().children.size(), 1U);
    const StackTree::Node& main = top.nodes[static_cast<std::size_t>(top.nodes.front().children.front())];
    EXPECT_EQ(main.function, "main");
    ASSERT_EQ(main.children.size(), 2U);
    const StackTree::Node& leaf = top.nodes[static_cast<std::size_t>(main.children.front())];
    EXPECT_EQ(leaf.function, "leaf");
    EXPECT_EQ(leaf.bytes, 150);
    EXPECT_EQ(leaf.selfBytes, 150);
    EXPECT_EQ(leaf.count, 2);
}

TEST_F(StackTreeTest, PlumbingIsLeftOutOnlyWhenAsked) {
    EXPECT_EQ(tree({.metric = StackMetric::Peak}).nodes.size(), 4U);
    EXPECT_EQ(tree({.metric = StackMetric::Peak, .foldsPlumbing = false}).nodes.size(), 5U);
}

TEST_F(StackTreeTest, FromTheBottomItBeginsAtTheAllocators) {
    const StackTree bottom = tree({.metric = StackMetric::Peak, .isBottomUp = true});
    ASSERT_EQ(bottom.nodes.front().children.size(), 2U);
    EXPECT_EQ(bottom.nodes[static_cast<std::size_t>(bottom.nodes.front().children.front())].function, "leaf");
}

TEST_F(StackTreeTest, EachMetricCountsWhatItSays) {
    EXPECT_EQ(tree({.metric = StackMetric::LiveAt, .timeNs = 1500}).nodes.front().bytes, 100);
    EXPECT_EQ(tree({.metric = StackMetric::Held}).nodes.front().bytes, 100);
    EXPECT_EQ(tree({.metric = StackMetric::Allocated}).nodes.front().bytes, 157);
    EXPECT_EQ(tree({.metric = StackMetric::Temporary}).nodes.front().bytes, 7);
    EXPECT_EQ(tree({.metric = StackMetric::Growth, .range = {1500, 4500}}).nodes.front().bytes, 50);
    EXPECT_EQ(tree({.metric = StackMetric::LiveAt, .timeNs = 10}).nodes.front().bytes, 0);
}

TEST_F(StackTreeTest, ARingOfStacksEnds) {
    tests::CaptureBuilder builder = built();
    builder.exec("UPDATE stacks SET parent_stack_id = stack_id");
    const tests::GuiCapture hostile(builder);
    const Cancel cancel;
    const StackTree rings =
        buildStackTree(hostile.sources(), BufferFilter(), {.metric = StackMetric::Allocated}, cancel);
    EXPECT_EQ(rings.nodes.front().bytes, 157);
}

}  // namespace
}  // namespace vramscope::gui
