// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <gtest/gtest.h>

#include "gui/models/flame_layout.h"
#include "gui/models/time_map.h"

namespace vramscope::gui {
namespace {

constexpr std::int64_t kEndNs = 10'000'000'000;

TEST(TimeMap, GoesThereAndBack) {
    for (const TimeRange shown :
         {TimeRange{0, kEndNs}, TimeRange{5'000'000, 6'000'000}, TimeRange{9'999'000'000, kEndNs}}) {
        const TimeMap map(shown, 80, 1900, kEndNs);
        for (double x = 80; x <= 1980; x += 19) {
            EXPECT_NEAR(map.xOf(map.timeAt(x)), x, 0.51 / std::max(map.nsPerPixel(), 0.51)) << shown.fromNs;
        }
        EXPECT_EQ(map.timeAt(80), shown.fromNs);
        EXPECT_EQ(map.timeAt(1980), shown.toNs);
    }
}

TEST(TimeMap, ZoomingKeepsTheMomentUnderTheMouse) {
    TimeMap map({0, kEndNs}, 80, 1900, kEndNs);
    const std::int64_t under = map.timeAt(700);
    for (int i = 0; i < 20; ++i)
        map = map.zoomed(0.7, 700);
    EXPECT_LT(map.shown().lengthNs(), kEndNs / 1000);
    EXPECT_NEAR(map.xOf(under), 700, 1.5);
}

TEST(TimeMap, StaysWithinTheRun) {
    const TimeMap map({4'000'000'000, 5'000'000'000}, 0, 1000, kEndNs);
    EXPECT_EQ(map.panned(-100'000).shown(), (TimeRange{0, 1'000'000'000}));
    EXPECT_EQ(map.panned(100'000).shown(), (TimeRange{9'000'000'000, kEndNs}));
    EXPECT_EQ(map.zoomed(1000, 500).shown(), (TimeRange{0, kEndNs}));
    EXPECT_GE(map.zoomed(1e-12, 500).shown().lengthNs(), TimeMap::kShortestNs);
    EXPECT_EQ(map.showing({-500, 3 * kEndNs}).shown(), (TimeRange{0, kEndNs}));
    EXPECT_EQ(TimeMap({0, 0}, 0, 100, 1).shown().lengthNs(), 1);
}

TEST(TimeMap, TicksAreRoundAndNotTooMany) {
    for (const std::int64_t length : {kEndNs, kEndNs / 7, kEndNs / 1'000'000}) {
        const TimeMap map({100'000, 100'000 + length}, 0, 1000, kEndNs * 2);
        const auto ticks = map.ticks(100);
        EXPECT_LE(ticks.size(), 11U);
        EXPECT_GE(ticks.size(), 2U);
        const std::int64_t step = map.tickNs(100);
        const double leading =
            static_cast<double>(step) / std::pow(10, std::floor(std::log10(static_cast<double>(step))));
        EXPECT_TRUE(leading == 1 || leading == 2 || leading == 5) << step;
        for (const std::int64_t at : ticks)
            EXPECT_EQ(at % step, 0);
    }
}

StackTree treeOf(const std::vector<std::pair<int, std::int64_t>>& nodes) {
    StackTree tree;
    for (const auto& [parent, bytes] : nodes) {
        StackTree::Node node;
        node.parent = parent;
        node.bytes = bytes;
        const auto number = static_cast<std::int32_t>(tree.nodes.size());
        if (parent >= 0) tree.nodes[static_cast<std::size_t>(parent)].children.push_back(number);
        tree.nodes.push_back(node);
    }
    return tree;
}

TEST(FlameLayout, WidthsAreShares) {
    const StackTree tree = treeOf({{-1, 100}, {0, 60}, {0, 40}, {1, 30}});
    const auto boxes = layoutFlame(tree, 0, 1000, 20);
    ASSERT_EQ(boxes.size(), 4U);
    double sum = 0;
    for (const FlameBox& box : boxes) {
        if (box.rect.top() == 20) sum += box.rect.width();
        if (box.node == 3) {
            EXPECT_DOUBLE_EQ(box.rect.width(), 300);
            EXPECT_DOUBLE_EQ(box.rect.top(), 40);
        }
    }
    EXPECT_DOUBLE_EQ(sum, 1000);
}

TEST(FlameLayout, NarrowOnesAreMerged) {
    StackTree tree = treeOf({{-1, 100'000}, {0, 99'000}});
    for (int i = 0; i < 1000; ++i) {
        StackTree::Node node;
        node.parent = 0;
        node.bytes = 1;
        tree.nodes.front().children.push_back(static_cast<std::int32_t>(tree.nodes.size()));
        tree.nodes.push_back(node);
    }
    const auto boxes = layoutFlame(tree, 0, 1000, 20);
    ASSERT_EQ(boxes.size(), 3U);
    const auto merged =
        std::find_if(boxes.begin(), boxes.end(), [](const FlameBox& box) { return box.node < 0; });
    ASSERT_NE(merged, boxes.end());
    EXPECT_EQ(merged->mergedCount, 1000);
}

TEST(FlameLayout, AncestorsStayAboveABoxThatFillsTheWidth) {
    const StackTree tree = treeOf({{-1, 100}, {0, 60}, {0, 40}, {1, 30}});
    const auto boxes = layoutFlame(tree, 1, 1000, 20);
    ASSERT_EQ(boxes.size(), 3U);
    EXPECT_EQ(boxes[0].node, 0);
    EXPECT_DOUBLE_EQ(boxes[1].rect.width(), 1000);
    EXPECT_DOUBLE_EQ(boxes[2].rect.width(), 500);
    EXPECT_TRUE(layoutFlame(StackTree(), 0, 1000, 20).empty());
}

}  // namespace
}  // namespace vramscope::gui
