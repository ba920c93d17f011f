// SPDX-License-Identifier: Apache-2.0
#include "gui/models/sandwich.h"

#include <QAbstractItemModelTester>
#include <gtest/gtest.h>

#include "gui/models/function_list_model.h"
#include "gui/models/stack_tree_model.h"
#include "tests/gui/gui_capture.h"

namespace vramscope::gui {
namespace {

constexpr auto kFatalReports = QAbstractItemModelTester::FailureReportingMode::Fatal;

class SandwichTest : public testing::Test {
protected:
    static tests::CaptureBuilder built() {
        tests::CaptureBuilder builder;
        const auto frame = [](const char* name) {
            return std::string("/opt/app/train!") + name + "@a.cpp:1";
        };
        const auto stack = [&](const std::vector<const char*>& names) {
            std::vector<std::string> frames;
            for (const char* name : names)
                frames.push_back(frame(name));
            return builder.stack(frames);
        };
        builder.allocate({.bytes = 100, .allocNs = 1, .stack = stack({"leaf", "middle", "main"})});
        builder.allocate({.bytes = 30, .allocNs = 2, .stack = stack({"leaf", "other", "main"})});
        builder.allocate({.bytes = 7, .allocNs = 3, .stack = stack({"middle", "main"})});
        // A function that calls itself.
        builder.allocate({.bytes = 1000, .allocNs = 4, .stack = stack({"leaf", "walk", "walk", "main"})});
        return builder;
    }
    SandwichTest() {
        const Cancel cancel;
        m_tree = std::make_shared<const StackTree>(buildStackTree(
            m_capture.sources(), BufferFilter(), {.metric = StackMetric::Allocated, .endNs = 100}, cancel));
    }
    static const StackTree::Node* child(const StackTree& tree, std::int32_t parent,
                                        const std::string& function) {
        for (const std::int32_t number : tree.nodes[static_cast<std::size_t>(parent)].children) {
            const StackTree::Node& node = tree.nodes[static_cast<std::size_t>(number)];
            if (node.function == function) return &node;
        }
        return nullptr;
    }
    tests::CaptureBuilder m_builder = built();
    tests::GuiCapture m_capture{m_builder};
    std::shared_ptr<const StackTree> m_tree;
};

TEST_F(SandwichTest, NoByteCountsTwiceWhereAFunctionCallsItself) {
    for (const FunctionTotal& total : functionTotals(*m_tree)) {
        if (total.function == "main") {
            EXPECT_EQ(total.bytes, 1137);
        }
        if (total.function == "walk") {
            EXPECT_EQ(total.bytes, 1000);
        }
        if (total.function == "leaf") {
            EXPECT_EQ(total.bytes, 1130);
        }
        if (total.function == "middle") {
            EXPECT_EQ(total.bytes, 107);
            EXPECT_EQ(total.selfBytes, 7);
            EXPECT_EQ(total.count, 2);
        }
    }
    EXPECT_EQ(functionTotals(*m_tree).front().function, "main");
    EXPECT_EQ(functionTotals(*m_tree).size(), 5U);
}

TEST_F(SandwichTest, CallersSumUpToTheFunction) {
    const Sandwich sandwich = sandwichOf(*m_tree, "leaf", "train");
    ASSERT_FALSE(sandwich.callers.nodes.empty());
    EXPECT_EQ(sandwich.callers.nodes.front().bytes, 1130);
    EXPECT_EQ(sandwich.callers.nodes.front().children.size(), 3U);
    const StackTree::Node* walk = child(sandwich.callers, 0, "walk");
    ASSERT_NE(walk, nullptr);
    EXPECT_EQ(walk->bytes, 1000);
    EXPECT_EQ(sandwich.callees.nodes.size(), 1U);
    EXPECT_EQ(sandwich.callees.nodes.front().selfBytes, 1130);
}

TEST_F(SandwichTest, CalleesOfAllCallersAreMerged) {
    const Sandwich sandwich = sandwichOf(*m_tree, "main", "train");
    EXPECT_EQ(sandwich.callers.nodes.size(), 1U);
    EXPECT_EQ(sandwich.callees.nodes.front().children.size(), 3U);
    const StackTree::Node* middle = child(sandwich.callees, 0, "middle");
    ASSERT_NE(middle, nullptr);
    EXPECT_EQ(middle->bytes, 107);
    EXPECT_EQ(middle->selfBytes, 7);
    EXPECT_TRUE(sandwichOf(*m_tree, "nowhere", "train").callers.nodes.empty());
}

TEST_F(SandwichTest, TheTreeModelShowsTheTree) {
    StackTreeModel model;
    const QAbstractItemModelTester tester(&model, kFatalReports);
    EXPECT_EQ(model.rowCount(), 0);
    model.setTree(m_tree);
    ASSERT_EQ(model.rowCount(), 1);
    const QModelIndex main = model.index(0, StackTreeModel::Function);
    EXPECT_EQ(main.data().toString(), QStringLiteral("main"));
    EXPECT_EQ(main.siblingAtColumn(StackTreeModel::Share).data().toString(), QStringLiteral("100.0 %"));
    ASSERT_EQ(model.rowCount(main), 3);
    const QModelIndex largest = model.index(0, 0, main);
    EXPECT_EQ(largest.data().toString(), QStringLiteral("walk"));
    EXPECT_EQ(model.indexOf(model.nodeAt(largest)), largest);
    EXPECT_EQ(largest.parent(), main);
    model.setTree(nullptr);
    EXPECT_EQ(model.rowCount(), 0);
}

TEST_F(SandwichTest, TheFunctionsAreSortedByAnyColumn) {
    FunctionListModel model;
    const QAbstractItemModelTester tester(&model, kFatalReports);
    model.setFunctions(functionTotals(*m_tree));
    const QPersistentModelIndex leaf = model.index(model.rowOf("leaf", "train"), 0);
    for (int column = 0; column < FunctionListModel::ColumnCount; ++column) {
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            model.sort(column, order);
            EXPECT_EQ(leaf.data().toString(), QStringLiteral("leaf"));
        }
    }
    model.sort(FunctionListModel::OwnBytes, Qt::DescendingOrder);
    EXPECT_EQ(model.functionAt(0)->function, "leaf");
    EXPECT_EQ(model.functionAt(99), nullptr);
}

}  // namespace
}  // namespace vramscope::gui
