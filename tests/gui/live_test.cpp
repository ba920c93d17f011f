// SPDX-License-Identifier: Apache-2.0
// A capture that grows while it is looked at.
#include <QScrollBar>
#include <QTemporaryDir>

#include "formats/capture_file.h"
#include "gui/views/buffers_page.h"
#include "gui/views/timeline_panel.h"
#include "tests/gui/gui_capture.h"
#include "tests/gui/window_fixture.h"

namespace vramscope::gui {
namespace {

/// Plays a recorder: adds buffers to a capture in small transactions, and finishes it.
class Recorder {
public:
    explicit Recorder(const std::filesystem::path& path) {
        tests::CaptureBuilder builder;
        tests::fillLeaking(builder);
        builder.exec("DELETE FROM meta WHERE key IN ('state', 'session_end_ns')");
        builder.fact("state", "recording");
        builder.writeTo(path);
        auto connection = formats::openCaptureForRecovery(path);
        EXPECT_TRUE(connection.isOk()) << connection.status().message();
        m_connection.emplace(std::move(*connection));
    }
    void allocate(std::int64_t atNs) {
        const auto text = std::to_string(atNs);
        run("INSERT INTO buffers (process_id, kind, address, generation, size_bytes, context_id, device_id, "
            "flags,"
            " api, alloc_enter_ns, alloc_ns) VALUES (1, 'device', " +
            std::to_string(0x7f8000000000 + atNs) + ", 1, 1048576, 1, 0, 0, 'cuMemAlloc_v2', " + text + ", " +
            text + ")");
    }
    void finish() {
        run("UPDATE meta SET value = 'complete' WHERE key = 'state'");
        const Status finished = formats::finishCapture(*m_connection);
        EXPECT_TRUE(finished.isOk()) << finished.message();
    }

private:
    void run(const std::string& sql) {
        const Status done = m_connection->exec(sql);
        EXPECT_TRUE(done.isOk()) << done.message();
    }
    std::optional<formats::Connection> m_connection;
};

class LiveTest : public WindowTest {
protected:
    LiveTest()
        : m_path(m_folder.filePath(QStringLiteral("live.vramscope")).toStdString()), m_recorder(m_path) {
        m_window.follower().setInterval(20);
        m_recorder.allocate(9'000'000'000);
        tests::openAndWait(m_window, QString::fromStdString(m_path.string()));
    }
    std::int64_t shownCount() {
        const auto store = m_window.workspace().sources().store;
        return store ? store->bufferCount() : 0;
    }
    bool waitForCount(std::int64_t count) {
        return tests::waitUntil([&] { return shownCount() == count; }) && tests::waitIdle(m_window);
    }

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    Recorder m_recorder;
};

TEST_F(LiveTest, WhatIsRecordedComesByItself) {
    EXPECT_EQ(shownCount(), 21);
    EXPECT_TRUE(m_window.liveText().contains(QStringLiteral("live"))) << m_window.liveText().toStdString();
    m_window.workspace().selection().change([](Selection& selection) {
        selection.buffer = {3};
        selection.range = {1'000'000'000, 2'000'000'000};
        selection.page = Page::Buffers;
    });
    const Selection chosen = now();
    for (int i = 1; i <= 5; ++i) {
        m_recorder.allocate(9'000'000'000 + i * 1'000'000'000LL);
        ASSERT_TRUE(waitForCount(21 + i)) << i;
        EXPECT_EQ(now(), chosen) << "what somebody looks at stays";
        EXPECT_EQ(m_window.buffers().model().rowCount(), 21 + i);
    }
    EXPECT_GE(m_window.timeline().model().endNs(), 14'000'000'000);
    EXPECT_EQ(m_window.mode(), MainWindow::Mode::Pages);
}

TEST_F(LiveTest, TheTableStaysWhereSomebodyReads) {
    for (int i = 0; i < 200; ++i)
        m_recorder.allocate(9'100'000'000 + i);
    ASSERT_TRUE(waitForCount(221));
    m_window.workspace().showPage(Page::Buffers);
    ASSERT_TRUE(tests::waitIdle(m_window));
    QTableView& table = m_window.buffers().table();
    BufferTableModel& model = m_window.buffers().model();
    // The newest first: what is recorded comes above what is read.
    table.sortByColumn(static_cast<int>(BufferColumn::Allocated), Qt::DescendingOrder);
    ASSERT_TRUE(tests::waitIdle(m_window));
    table.setCurrentIndex(model.index(90, 3));
    ASSERT_TRUE(tests::waitIdle(m_window));
    const model::BufferId current = model.bufferAt(90);
    for (const int row : {91, 92, 95})
        table.selectionModel()->select(model.index(row, 0),
                                       QItemSelectionModel::Select | QItemSelectionModel::Rows);
    // The current one is out of sight.
    table.verticalScrollBar()->setValue(140);
    const model::BufferId top = model.bufferAt(table.rowAt(0));
    EXPECT_EQ(top, model.bufferAt(140));
    const auto selected = [&] {
        std::vector<std::int64_t> buffers;
        for (const QModelIndex& index : table.selectionModel()->selectedRows())
            buffers.push_back(model.bufferAt(index.row()).value);
        std::sort(buffers.begin(), buffers.end());
        return buffers;
    };
    const auto before = selected();
    ASSERT_EQ(before.size(), 4U);
    for (int i = 1; i <= 3; ++i) {
        m_recorder.allocate(10'000'000'000 + i);
        ASSERT_TRUE(waitForCount(221 + i));
        EXPECT_EQ(model.bufferAt(table.rowAt(0)), top);
        EXPECT_EQ(table.verticalScrollBar()->value(), 140 + i);
        EXPECT_EQ(model.bufferAt(table.currentIndex().row()), current);
        EXPECT_EQ(table.currentIndex().column(), 3);
        EXPECT_EQ(selected(), before);
    }
    // Who looks at the newest goes on to see the newest.
    table.verticalScrollBar()->setValue(0);
    m_recorder.allocate(11'000'000'000);
    ASSERT_TRUE(waitForCount(225));
    EXPECT_EQ(table.verticalScrollBar()->value(), 0);
    EXPECT_EQ(model.bufferAt(table.rowAt(0)), model::BufferId{225});
}

TEST_F(LiveTest, TheTimelineFollowsTheEndOrStaysWhereItIs) {
    TimelineView& view = m_window.timeline().view();
    EXPECT_TRUE(view.followsEnd()) << "who opens a recording that runs wants to see it run";
    view.setShown({6'000'000'000, 9'000'000'000});
    m_recorder.allocate(12'000'000'000);
    ASSERT_TRUE(waitForCount(22));
    EXPECT_EQ(view.timeMap().shown().toNs, m_window.timeline().model().endNs());
    EXPECT_NEAR(static_cast<double>(view.timeMap().shown().lengthNs()), 3e9, 1e6);
    view.setFollowsEnd(false);
    view.setShown({2'000'000'000, 4'000'000'000});
    const TimeRange shown = view.timeMap().shown();
    m_recorder.allocate(15'000'000'000);
    ASSERT_TRUE(waitForCount(23));
    EXPECT_EQ(view.timeMap().shown(), shown);
    view.showAll();
    m_recorder.allocate(18'000'000'000);
    ASSERT_TRUE(waitForCount(24));
    EXPECT_EQ(view.timeMap().shown().toNs, m_window.timeline().model().endNs());
}

TEST_F(LiveTest, ItsEndIsSeenAndTheRecorderIsNotHeldUp) {
    m_recorder.allocate(11'000'000'000);
    m_recorder.finish();
    ASSERT_TRUE(tests::waitUntil([&] { return m_window.liveText().isEmpty(); }));
    ASSERT_TRUE(waitForCount(22));
    EXPECT_EQ(formats::sideFilesOf(m_path), formats::SideFiles::None);
}

TEST_F(LiveTest, AnotherCaptureTakesOverInTheMiddle) {
    m_recorder.allocate(11'000'000'000);
    ASSERT_TRUE(tests::waitUntil([&] { return m_window.workspace().session().isRefreshing(); }));
    open("torch_leak");
    EXPECT_EQ(shownCount(), 71);
    EXPECT_TRUE(m_window.liveText().isEmpty());
    m_recorder.allocate(12'000'000'000);
    ASSERT_TRUE(tests::waitIdle(m_window));
    EXPECT_EQ(shownCount(), 71);
}

}  // namespace
}  // namespace vramscope::gui
