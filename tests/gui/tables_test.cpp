// SPDX-License-Identifier: Apache-2.0
#include <QAbstractItemModelTester>
#include <gtest/gtest.h>

#include "gui/models/buffer_table_model.h"
#include "gui/models/event_list_model.h"
#include "gui/models/finding_list_model.h"
#include "gui/models/query_result_model.h"
#include "tests/gui/gui_capture.h"
#include "tests/gui/gui_environment.h"

namespace vramscope::gui {
namespace {

constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

class TablesTest : public testing::Test {
protected:
    static tests::CaptureBuilder built() {
        tests::CaptureBuilder builder;
        tests::fillLeaking(builder);
        // More than a first page.
        for (int i = 0; i < 700; ++i)
            builder.allocate({.kind = "async",
                              .bytes = 1000 + i * 7919 % 701,
                              .allocNs = 100'000 + i,
                              .freeNs = 200'000 + i * 31 % 700});
        return builder;
    }
    template <typename Model>
    static void wait(Model& model) {
        ASSERT_TRUE(tests::waitUntil([&] { return !model.isBusy(); }));
    }
    tests::CaptureBuilder m_builder = built();
    tests::GuiCapture m_capture{m_builder, true};
    QThreadPool m_pool;
};

TEST_F(TablesTest, BuffersAreSortedWhole) {
    BufferTableModel model(m_pool);
    const QAbstractItemModelTester tester(&model, kFatal);
    model.setSources(m_capture.sources());
    wait(model);
    ASSERT_EQ(model.rowCount(), 720);
    for (int column = 0; column < kBufferColumns; ++column) {
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            model.sort(column, order);
            wait(model);
            EXPECT_TRUE(model.order().isSorted);
            EXPECT_EQ(model.rowCount(), 720);
        }
    }
    model.sort(static_cast<int>(BufferColumn::Size), Qt::AscendingOrder);
    wait(model);
    const auto& rows = model.order().rows;
    for (std::size_t i = 1; i < rows.size(); ++i)
        ASSERT_LE(m_capture.store().sizeBytes[rows[i - 1]], m_capture.store().sizeBytes[rows[i]]);
    EXPECT_EQ(model.order().totalBytes, [&] {
        std::int64_t sum = 0;
        for (Row row = 0; row < m_capture.store().bufferCount(); ++row)
            sum += m_capture.store().sizeBytes[row];
        return sum;
    }());
}

TEST_F(TablesTest, TheFirstPageComesInOrderBeforeTheRest) {
    const Cancel cancel;
    const RowOrder first =
        firstPage(m_capture.sources(), BufferFilter(), BufferColumn::Size, Qt::DescendingOrder, cancel);
    const RowOrder whole =
        sortedFully(m_capture.sources(), first, BufferColumn::Size, Qt::DescendingOrder, cancel);
    EXPECT_FALSE(first.isSorted);
    EXPECT_TRUE(whole.isSorted);
    ASSERT_EQ(first.rows.size(), whole.rows.size());
    EXPECT_TRUE(std::equal(first.rows.begin(), first.rows.begin() + kFirstPage, whole.rows.begin()));
}

TEST_F(TablesTest, AnotherReadingLeavesTheOldRowsUntilItIsInOrder) {
    BufferTableModel model(m_pool);
    const QAbstractItemModelTester tester(&model, kFatal);
    model.setSources(m_capture.sources());
    model.sort(static_cast<int>(BufferColumn::Allocated), Qt::DescendingOrder);
    wait(model);
    tests::CaptureBuilder builder = built();
    builder.allocate({.bytes = 77, .allocNs = 90'000'000'000'000});
    const tests::GuiCapture later(builder, true);
    int reloads = 0;
    QObject::connect(&model, &BufferTableModel::aboutToReload, [&] { EXPECT_EQ(model.rowCount(), 720); });
    QObject::connect(&model, &BufferTableModel::reloaded, [&] {
        ++reloads;
        EXPECT_EQ(model.rowCount(), 721);
        EXPECT_TRUE(model.order().isSorted) << "no first page in between";
    });
    model.setSources(later.sources());
    EXPECT_EQ(model.rowCount(), 720);
    EXPECT_FALSE(model.index(719, 0).data().toString().isEmpty());
    wait(model);
    EXPECT_EQ(reloads, 1);
    EXPECT_EQ(model.bytesAt(0), 77);
    EXPECT_EQ(model.rowsOf({{721}, {1}, {9999}, {}}), (std::vector<int>{0, 20, -1, -1}));
}

TEST_F(TablesTest, FindingsComeWithoutMovingAnything) {
    BufferTableModel model(m_pool);
    const QAbstractItemModelTester tester(&model, kFatal);
    BufferFilter::Sources sources = m_capture.sources();
    sources.analysis = nullptr;
    model.setSources(sources);
    wait(model);
    int resets = 0;
    QObject::connect(&model, &QAbstractItemModel::modelReset, [&] { ++resets; });
    model.setSources(m_capture.sources());
    EXPECT_EQ(model.index(0, static_cast<int>(BufferColumn::Finding)).data().toString(),
              QStringLiteral("leak.growth"));
    EXPECT_EQ(resets, 0);
    model.sort(static_cast<int>(BufferColumn::Finding), Qt::AscendingOrder);
    wait(model);
    resets = 0;
    sources.analysis = m_capture.sources().analysis;
    model.setSources(sources);
    wait(model);
    EXPECT_EQ(resets, 1) << "sorted by what has come";
}

TEST_F(TablesTest, AChosenRowStaysItsBufferWhileTheRestIsSorted) {
    BufferTableModel model(m_pool);
    model.setSources(m_capture.sources());
    wait(model);
    std::vector<std::pair<QPersistentModelIndex, model::BufferId>> chosen;
    QObject::connect(&model, &BufferTableModel::orderChanged, [&] {
        if (model.order().isSorted || !chosen.empty()) return;
        for (const int row : {3, 499, 500, 611, 719})
            chosen.emplace_back(model.index(row, 1), model.bufferAt(row));
    });
    model.sort(static_cast<int>(BufferColumn::Lifetime), Qt::AscendingOrder);
    wait(model);
    ASSERT_EQ(chosen.size(), 5U);
    for (const auto& [index, buffer] : chosen)
        EXPECT_EQ(model.bufferAt(index.row()), buffer);
}

TEST_F(TablesTest, AFilterNarrowsAndSaysWhatItHides) {
    BufferTableModel model(m_pool);
    const QAbstractItemModelTester tester(&model, kFatal);
    model.setSources(m_capture.sources());
    Selection selection;
    model.setSelection(selection, parseFilter(QStringLiteral("size>=3M")));
    wait(model);
    EXPECT_EQ(model.rowCount(), 10);
    EXPECT_EQ(model.hiddenCount(), 710);
    EXPECT_EQ(model.index(0, static_cast<int>(BufferColumn::Size)).data().toString(),
              QStringLiteral("3.0 MiB"));
    EXPECT_EQ(model.index(0, static_cast<int>(BufferColumn::Finding)).data().toString(),
              QStringLiteral("leak.growth"));
    EXPECT_EQ(model.rowOf(model.bufferAt(3)), 3);
    EXPECT_EQ(model.csv(100).count(QLatin1Char('\n')), 11);
    model.setSources({});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST_F(TablesTest, EventsRunInTimeAndAddUp) {
    EventListModel model(m_pool);
    const QAbstractItemModelTester tester(&model, kFatal);
    model.setSources(m_capture.sources());
    wait(model);
    ASSERT_EQ(model.rowCount(), 720 * 2);
    for (int row = 1; row < model.rowCount(); ++row)
        ASSERT_LE(model.timeAt(row - 1), model.timeAt(row));
    // What is held ends with the process, which is no free.
    const int last = model.rowCount() - 1;
    EXPECT_EQ(model.index(last, EventListModel::What).data().toString(), QStringLiteral("process-ended"));
    EXPECT_EQ(model.index(last, EventListModel::LiveAfter).data().toString(), QStringLiteral("0 bytes"));
    EXPECT_EQ(model.index(last - 10, EventListModel::LiveAfter).data().toString(),
              QStringLiteral("30.0 MiB"));
    EXPECT_EQ(model.index(last - 10, EventListModel::What).data().toString(), QStringLiteral("free"));
    EXPECT_EQ(model.rowAt(0), -1);
    EXPECT_EQ(model.timeAt(model.rowAt(150'000)), 100'699);
    model.setSelection({}, parseFilter(QStringLiteral("kind:device")));
    wait(model);
    EXPECT_EQ(model.rowCount(), 40);
    EXPECT_EQ(model.hiddenCount(), 1400);
    EXPECT_EQ(model.bufferAt(0), model::BufferId{1});
}

TEST_F(TablesTest, SuppressedFindingsGoLast) {
    Sidecar sidecar;
    ASSERT_TRUE(sidecar.open(m_capture.path()).isOk());
    FindingListModel model(sidecar);
    const QAbstractItemModelTester tester(&model, kFatal);
    model.setAnalysis(m_capture.sources().analysis);
    ASSERT_GE(model.rowCount(), 1);
    EXPECT_EQ(model.problemCount(), 1);
    const QString first = model.index(0).data(FindingListModel::FingerprintRole).toString();
    EXPECT_TRUE(model.index(0).data(FindingListModel::IsProblemRole).toBool());
    ASSERT_TRUE(sidecar.suppress(first, QStringLiteral("a cache")).isOk());
    EXPECT_EQ(model.problemCount(), 0);
    EXPECT_EQ(model.rowOf(first), model.rowCount() - 1);
}

TEST_F(TablesTest, AQueryGivesRowsOrSaysWhyNot) {
    const Cancel cancel;
    QueryResultModel model;
    const QAbstractItemModelTester tester(&model, kFatal);
    model.setResult(runQuery(
        m_capture.path(),
        QStringLiteral("SELECT kind, count(*) AS n FROM buffers GROUP BY kind ORDER BY kind"), 10, cancel));
    ASSERT_EQ(model.rowCount(), 2);
    EXPECT_EQ(model.index(0, 1).data().toString(), QStringLiteral("700"));
    EXPECT_EQ(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("n"));
    EXPECT_TRUE(runQuery(m_capture.path(), QStringLiteral("SELECT * FROM buffers"), 10, cancel).isCut);
    EXPECT_FALSE(runQuery(m_capture.path(), QStringLiteral("SELEC"), 10, cancel).problem.isEmpty());
    EXPECT_FALSE(
        runQuery(m_capture.path(), QStringLiteral("DELETE FROM buffers"), 10, cancel).problem.isEmpty());
    Cancel cancelled;
    cancelled.request();
    const QString endless = QStringLiteral(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n");
    EXPECT_FALSE(runQuery(m_capture.path(), endless, 10, cancelled).problem.isEmpty());
}

}  // namespace
}  // namespace vramscope::gui
