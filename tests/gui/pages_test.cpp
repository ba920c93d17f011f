// SPDX-License-Identifier: Apache-2.0
// Single pages of the window: what is clicked there, and what is selected and shown then.
#include <QTest>
#include <QTreeView>
#include <gtest/gtest.h>

#include "gui/views/address_map_page.h"
#include "gui/views/buffers_page.h"
#include "gui/views/inspector.h"
#include "gui/views/owners_page.h"
#include "gui/views/stacks_page.h"
#include "gui/views/timeline_panel.h"
#include "tests/gui/gui_environment.h"

namespace vramscope::gui {
namespace {

class PagesTest : public testing::Test {
protected:
    PagesTest() {
        m_window.resize(1280, 800);
        m_window.show();
    }
    void open(const char* name, Page page) {
        tests::openAndWait(m_window, tests::recordedCapture(QString::fromUtf8(name)));
        m_window.workspace().showPage(page);
        tests::waitIdle(m_window);
    }
    const Selection& now() { return m_window.workspace().now(); }

    MainWindow m_window{nullptr};
};

TEST_F(PagesTest, AClickOnAFacetFiltersAndAnotherTakesItAway) {
    open("torch_leak", Page::Buffers);
    QTreeView& tree = m_window.buffers().facetTree();
    FacetModel& model = m_window.buffers().facets();
    ASSERT_GT(model.rowCount(), 3);
    const QModelIndex libraries = model.index(2, 0);
    ASSERT_GT(model.rowCount(libraries), 1);
    const QModelIndex first = model.index(0, 0, libraries);
    const FacetValue value = *model.valueAt(first);
    tree.scrollTo(first);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(first).center());
    tests::waitIdle(m_window);
    EXPECT_EQ(now().filter, value.words);
    EXPECT_EQ(m_window.buffers().model().rowCount(), value.count);
    const QModelIndex same = model.index(0, 0, model.index(2, 0));
    ASSERT_NE(model.valueAt(same), nullptr);
    EXPECT_TRUE(model.isChosen(*model.valueAt(same)));
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(same).center());
    tests::waitIdle(m_window);
    EXPECT_TRUE(now().filter.isEmpty());
}

TEST_F(PagesTest, StacksHaveThreeFormsWithOneSelection) {
    open("torch_leak", Page::Stacks);
    StacksPage& page = m_window.stacks();
    const std::int64_t all = page.tree()->nodes.front().bytes;
    page.setForm(StacksPage::Form::Table);
    tests::waitIdle(m_window);
    StackTreeModel& rows = page.table().model();
    ASSERT_GT(rows.rowCount(), 0);
    EXPECT_EQ(rows.tree()->nodes.front().bytes, all);
    const std::int32_t node = rows.nodeAt(rows.index(0, 0));
    page.table().setCurrentIndex(rows.index(0, 0));
    EXPECT_EQ(now().stack, rows.tree()->nodes[static_cast<std::size_t>(node)].stack);

    page.setForm(StacksPage::Form::Sandwich);
    tests::waitIdle(m_window);
    ASSERT_GT(page.sandwich().functions().rowCount(), 2);
    const FunctionTotal innermost = *page.sandwich().functions().functionAt(2);
    page.sandwich().choose(innermost.function, innermost.library);
    EXPECT_EQ(page.sandwich().callees().model().tree()->nodes.front().bytes, innermost.bytes);
    EXPECT_EQ(page.sandwich().callers().model().tree()->nodes.front().bytes, innermost.bytes);
    page.setForm(StacksPage::Form::Flame);
    tests::waitIdle(m_window);
    EXPECT_FALSE(page.flame().boxes().empty());
}

TEST_F(PagesTest, OwnersTellWhoUsedTheBytes) {
    open("torch_two_tasks", Page::Owners);
    const auto store = m_window.workspace().sources().store;
    // The one that most was done to.
    Row largest = 0;
    for (Row row = 0; row < store->bufferCount(); ++row) {
        if (store->sizeBytes[row] > store->sizeBytes[largest]) largest = row;
    }
    m_window.workspace().selection().change([&](Selection& s) { s.buffer = {store->idOf(largest)}; });
    tests::waitIdle(m_window);
    const auto chart = m_window.owners().chart();
    ASSERT_TRUE(chart);
    EXPECT_TRUE(chart->hasRecord);
    EXPECT_FALSE(chart->tasks.empty());
    ASSERT_FALSE(chart->marks.empty());
    OwnersView& view = m_window.owners().view();
    const PlacedMark& mark = chart->marks.front();
    const QPointF at(view.rectOf(mark).left(), view.rectOf(mark).center().y());
    ASSERT_NE(view.markAt(at), nullptr);
    EXPECT_FALSE(view.readoutAt(at).isEmpty());
    QTest::mouseClick(&view, Qt::LeftButton, {}, at.toPoint());
    tests::waitIdle(m_window);
    EXPECT_TRUE(now().timeNs.has_value());
}

TEST_F(PagesTest, TheInspectorFindsNeighboursBehindTheWindow) {
    open("torch_leak", Page::Buffers);
    m_window.workspace().selection().change(
        [&](Selection& s) { s.buffer = {m_window.workspace().sources().store->idOf(5)}; });
    EXPECT_TRUE(m_window.inspector().isBusy());
    EXPECT_FALSE(m_window.inspector().text().contains(QStringLiteral("Neighbours at")));
    tests::waitIdle(m_window);
    EXPECT_TRUE(m_window.inspector().text().contains(QStringLiteral("Neighbours at")));
}

TEST_F(PagesTest, ARequestIsTriedOnTheMap) {
    open("torch_expandable_segments", Page::AddressMap);
    m_window.addressMap().setRequest(QStringLiteral("3M"));
    EXPECT_EQ(m_window.addressMap().view().request(), 3 << 20);
    m_window.addressMap().setRequest(QStringLiteral("nonsense"));
    EXPECT_EQ(m_window.addressMap().view().request(), 0);
}

TEST_F(PagesTest, MemoryIsStackedByAnyDimension) {
    open("torch_leak", Page::Overview);
    TimelineModel& model = m_window.timeline().model();
    const std::int64_t peak = model.lanes().front().peakBytes;
    for (const GroupBy by : {GroupBy::Kind, GroupBy::Stack, GroupBy::Task, GroupBy::Process, GroupBy::Size,
                             GroupBy::Phase, GroupBy::Call, GroupBy::Name, GroupBy::Library}) {
        model.setGroupBy(by);
        tests::waitIdle(m_window);
        EXPECT_EQ(model.lanes().front().peakBytes, peak) << static_cast<int>(by);
        EXPECT_FALSE(model.lanes().front().labels.empty());
    }
}

}  // namespace
}  // namespace vramscope::gui
