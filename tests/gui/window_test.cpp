// SPDX-License-Identifier: Apache-2.0
// The window from end to end: what a person does, and what is selected and shown then.
#include <QSettings>
#include <QTemporaryDir>
#include <QWheelEvent>

#include "analyzer/report/finding_link.h"
#include "gui/views/address_map_page.h"
#include "gui/views/buffers_page.h"
#include "gui/views/compare_page.h"
#include "gui/views/events_page.h"
#include "gui/views/filter_bar.h"
#include "gui/views/finding_list.h"
#include "gui/views/finding_page.h"
#include "gui/views/inspector.h"
#include "gui/views/overview_page.h"
#include "gui/views/owners_page.h"
#include "gui/views/sql_page.h"
#include "gui/views/stacks_page.h"
#include "gui/views/timeline_panel.h"
#include "tests/gui/window_fixture.h"

namespace vramscope::gui {
namespace {

TEST_F(WindowTest, BeginsWithAPageThatSaysHow) {
    EXPECT_EQ(m_window.mode(), MainWindow::Mode::Start);
    EXPECT_TRUE(m_window.isIdle());
}

TEST_F(WindowTest, ALeakIsFoundToldAndFollowed) {
    open("torch_leak");
    ASSERT_EQ(m_window.mode(), MainWindow::Mode::Pages);
    EXPECT_TRUE(m_window.overview().text().contains(QStringLiteral("leak.growth")));
    EXPECT_TRUE(m_window.overview().text().contains(QStringLiteral("600.0 MiB")));
    press(m_window.timeline().view(), Qt::Key_N);
    EXPECT_EQ(now().page, Page::Finding);
    EXPECT_FALSE(now().finding.isEmpty());
    EXPECT_FALSE(now().range.isEmpty());
    EXPECT_EQ(m_window.findingPage().story().front().target.buffer, now().buffer);
    EXPECT_TRUE(m_window.findingPage().markdown().contains(QStringLiteral("--goto finding:")));
    EXPECT_TRUE(m_window.inspector().text().contains(QStringLiteral("12.0 MiB")));

    const Selection onFinding = now();
    for (std::size_t i = 0; i < m_window.findingPage().story().size(); ++i) {
        const Selection target = m_window.findingPage().story()[i].target;
        m_window.findingPage().followSentence(i);
        tests::waitIdle(m_window);
        EXPECT_EQ(now(), target) << i;
        m_window.workspace().selection().goBack();
        EXPECT_EQ(now(), onFinding) << i;
    }
    m_window.findingPage().followSentence(0);
    tests::waitIdle(m_window);
    EXPECT_EQ(m_window.buffers().model().rowCount(), 50);
    EXPECT_GE(m_window.buffers().table().currentIndex().row(), 0);
}

TEST_F(WindowTest, EveryPageShowsSomething) {
    open("torch_leak", QStringLiteral("time:7.2"));
    EXPECT_EQ(now().timeNs, 7'200'000'000);
    m_window.workspace().showPage(Page::Stacks);
    tests::waitIdle(m_window);
    EXPECT_GT(m_window.stacks().flame().boxes().size(), 10U);
    EXPECT_TRUE(m_window.stacks().foldedText().contains(QLatin1Char(';')));
    m_window.workspace().showPage(Page::AddressMap);
    tests::waitIdle(m_window);
    ASSERT_TRUE(m_window.addressMap().map());
    EXPECT_EQ(m_window.addressMap().map()->timeNs, 7'200'000'000);
    EXPECT_FALSE(m_window.addressMap().map()->totals.empty());
    m_window.workspace().showPage(Page::Events);
    tests::waitIdle(m_window);
    EXPECT_EQ(m_window.events().model().rowCount(), 71 * 2);
    m_window.workspace().showPage(Page::Owners);
    tests::waitIdle(m_window);
    EXPECT_FALSE(m_window.owners().note().isEmpty());
    m_window.workspace().selection().change([](Selection& s) { s.buffer = {10}; });
    tests::waitIdle(m_window);
    ASSERT_TRUE(m_window.owners().chart());
    EXPECT_GE(m_window.owners().chart()->boxes.size(), 1U);
    m_window.workspace().showPage(Page::Sql);
    m_window.sql().run(QStringLiteral("SELECT count(*) FROM launches"));
    tests::waitIdle(m_window);
    EXPECT_EQ(m_window.sql().model().rowCount(), 1);
    m_window.compare().compareWith(tests::recordedCapture(QStringLiteral("torch_training")).toStdString());
    m_window.workspace().showPage(Page::Compare);
    tests::waitIdle(m_window);
    EXPECT_TRUE(m_window.compare().text().contains(QStringLiteral("leak.growth")));
}

TEST_F(WindowTest, ALinkFromOutsideLeadsToTheFinding) {
    open("torch_leak");
    press(m_window, Qt::Key_N);
    const QString finding = now().finding;
    MainWindow other(nullptr);
    other.show();
    tests::openAndWait(other, tests::recordedCapture(QStringLiteral("torch_leak")),
                       QStringLiteral("finding:") + finding);
    EXPECT_EQ(other.workspace().now().finding, finding);
    EXPECT_EQ(other.workspace().now().page, Page::Finding);
    // The beginning of it, and the number that a report gives it, do as well.
    other.workspace().showPage(Page::Overview);
    EXPECT_TRUE(other.goTo(QStringLiteral("finding:") + finding.left(6)));
    EXPECT_EQ(other.workspace().now().finding, finding);
    EXPECT_TRUE(other.goTo(QStringLiteral("finding:F1")));
    EXPECT_EQ(other.workspace().now().finding, finding);
    EXPECT_FALSE(other.goTo(QStringLiteral("finding:F99")));
    EXPECT_FALSE(other.goTo(QStringLiteral("finding:") + finding.left(3)));
    EXPECT_FALSE(other.goTo(QStringLiteral("finding:0000000000000000")));
    EXPECT_FALSE(other.goTo(QStringLiteral("buffer:999999")));
    EXPECT_FALSE(other.goTo(QStringLiteral("time:soon")));
    EXPECT_FALSE(other.goTo(QStringLiteral("nonsense")));
}

TEST_F(WindowTest, EveryFindingThatCheckAndReportPrintIsOpened) {
    for (const char* name : {"torch_leak", "torch_async_pool", "two_processes"}) {
        open(name);
        const auto analysis = m_window.workspace().sources().analysis;
        ASSERT_FALSE(analysis->findings.empty()) << name;
        for (const detectors::Finding& finding : analysis->findings) {
            const std::string command = report::openCommand("x.vramscope", finding);
            const std::string place = command.substr(command.find("--goto ") + 7);
            EXPECT_TRUE(m_window.goTo(QString::fromStdString(place))) << command;
            EXPECT_EQ(now().finding.toStdString(), finding.fingerprint);
            EXPECT_EQ(now().page, Page::Finding);
        }
    }
}

TEST_F(WindowTest, TheTimelineFollowsMouseAndKeys) {
    open("torch_leak");
    TimelineView& view = m_window.timeline().view();
    // Nothing is allocated in the first seconds of this run.
    EXPECT_GT(view.timeMap().shown().fromNs, 5'000'000'000);
    press(view, Qt::Key_Home);
    const TimeRange whole = view.timeMap().shown();
    EXPECT_EQ(whole.fromNs, 0);
    const QPoint middle(static_cast<int>(view.timeMap().left() + view.timeMap().width() / 2),
                        view.height() / 2);
    press(view, Qt::Key_W);
    EXPECT_LT(view.timeMap().shown().lengthNs(), whole.lengthNs());
    press(view, Qt::Key_Home);
    EXPECT_EQ(view.timeMap().shown(), whole);

    QTest::mouseMove(&view, middle);
    const std::int64_t under = view.timeMap().timeAt(middle.x());
    QWheelEvent wheel(QPointF(middle), view.mapToGlobal(QPointF(middle)), {}, {0, 240}, Qt::NoButton,
                      Qt::ControlModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &wheel);
    EXPECT_LT(view.timeMap().shown().lengthNs(), whole.lengthNs());
    EXPECT_NEAR(view.timeMap().xOf(under), middle.x(), 2);

    view.showAll();
    const std::int64_t from = view.timeMap().timeAt(middle.x() - 100);
    const std::int64_t to = view.timeMap().timeAt(middle.x() + 100);
    QTest::mousePress(&view, Qt::LeftButton, {}, middle - QPoint(100, 0));
    QTest::mouseMove(&view, middle);
    QTest::mouseMove(&view, middle + QPoint(100, 0));
    QTest::mouseRelease(&view, Qt::LeftButton, {}, middle + QPoint(100, 0));
    EXPECT_EQ(now().range, (TimeRange{from, to}));
    press(view, Qt::Key_F);
    EXPECT_NEAR(static_cast<double>(view.timeMap().shown().lengthNs()), static_cast<double>(to - from) * 1.1,
                1e6);
    QTest::mouseClick(&view, Qt::LeftButton, {}, middle);
    EXPECT_EQ(now().timeNs, view.timeMap().timeAt(middle.x()));
    const auto before = *now().timeNs;
    press(view, Qt::Key_BracketRight);
    EXPECT_GT(*now().timeNs, before);
    EXPECT_FALSE(now().buffer.isNone());
    press(m_window, Qt::Key_P);
    EXPECT_EQ(now().timeNs, m_window.workspace().sources().analysis->peakNs);
}

TEST_F(WindowTest, TheFilterReachesEveryView) {
    open("torch_leak");
    m_window.workspace().showPage(Page::Buffers, QStringLiteral("library:cublas"));
    tests::waitIdle(m_window);
    const int shown = m_window.buffers().model().rowCount();
    EXPECT_GT(shown, 0);
    EXPECT_LT(shown, 71);
    ASSERT_EQ(m_window.timeline().model().lanes().size(), 1U);
    EXPECT_EQ(m_window.timeline().model().lanes().front().labels,
              std::vector<QString>{QStringLiteral("cublas")});
    m_window.workspace().selection().change([](Selection& s) { s.filter = QStringLiteral("size>1T"); });
    tests::waitIdle(m_window);
    EXPECT_TRUE(m_window.buffers().note().contains(QStringLiteral("71")));
    m_window.workspace().selection().goBack();
    tests::waitIdle(m_window);
    EXPECT_EQ(m_window.buffers().model().rowCount(), shown);
    press(m_window, Qt::Key_Escape);
    EXPECT_TRUE(now().filter.isEmpty());
}

TEST_F(WindowTest, ThePeakIsTheReports) {
    for (const char* name : {"torch_training", "torch_expandable_segments", "torch_async_pool",
                             "jax_training", "two_processes"}) {
        SCOPED_TRACE(name);
        open(name);
        ASSERT_TRUE(m_window.workspace().sources().analysis);
        std::int64_t peak = 0;
        for (const TimelineLane& lane : m_window.timeline().model().lanes())
            peak += lane.peakBytes;
        EXPECT_EQ(peak, m_window.workspace().sources().analysis->peakBytes);
        EXPECT_TRUE(m_window.overview().text().contains(QStringLiteral("No problems found")));
    }
}

TEST_F(WindowTest, OpeningAnotherWhileOneLoadsShowsTheLast) {
    m_window.openFile(tests::recordedCapture(QStringLiteral("jax_training")));
    m_window.openFile(tests::recordedCapture(QStringLiteral("torch_async_pool")));
    m_window.openFile(tests::recordedCapture(QStringLiteral("torch_leak")));
    ASSERT_TRUE(tests::waitIdle(m_window));
    EXPECT_EQ(m_window.workspace().sources().store->bufferCount(), 71U);
    EXPECT_EQ(m_window.workspace().sources().analysis->findings.front().rule, "leak.growth");
}

TEST_F(WindowTest, ClosingInTheMiddleOfLoadingIsFine) {
    for (int i = 0; i < 5; ++i) {
        MainWindow window(nullptr);
        window.show();
        window.openFile(tests::recordedCapture(QStringLiteral("torch_async_pool")));
        for (int j = 0; j < i * 3; ++j)
            QApplication::processEvents(QEventLoop::AllEvents, 5);
    }
}

TEST_F(WindowTest, RemembersFilesAndLayout) {
    QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    const QString file = tests::recordedCapture(QStringLiteral("torch_leak"));
    {
        MainWindow window(&settings);
        window.show();
        tests::openAndWait(window, file);
        window.setTheme(ThemeChoice::Dark);
        window.close();
    }
    EXPECT_EQ(settings.value(QStringLiteral("recent")).toStringList().size(), 1);
    EXPECT_TRUE(settings.value(QStringLiteral("recent"))
                    .toStringList()
                    .front()
                    .endsWith(QStringLiteral("torch_leak.vramscope")));
    MainWindow window(&settings);
    EXPECT_LT(QApplication::palette().color(QPalette::Window).lightness(), 128);
    window.setTheme(ThemeChoice::Light);
}

}  // namespace
}  // namespace vramscope::gui
