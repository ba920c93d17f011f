// SPDX-License-Identifier: Apache-2.0
// A capture of many buffers, whole and cut: what comes first, and that everything comes.
#include <QTemporaryDir>

#include "gui/views/buffers_page.h"
#include "gui/views/start_page.h"
#include "gui/views/timeline_panel.h"
#include "tests/bench/large_capture.h"
#include "tests/gui/window_fixture.h"

namespace vramscope::gui {
namespace {

constexpr int kBuffers = 150'000;

class LargeTest : public WindowTest {
protected:
    LargeTest() : m_path(m_folder.filePath(QStringLiteral("large.vramscope")).toStdString()) {
        bench::writeLargeCapture(m_path, kBuffers);
    }
    QString file() const { return QString::fromStdString(m_path.string()); }

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
};

TEST_F(LargeTest, TheTimelineComesBeforeTheBuffers) {
    m_window.openFile(file());
    ASSERT_TRUE(tests::waitUntil([this] { return !m_window.timeline().model().lanes().empty(); }));
    EXPECT_TRUE(m_window.timeline().model().isCoarse());
    ASSERT_TRUE(tests::waitUntil([this] { return m_window.isIdle(); }, 120'000));
    EXPECT_FALSE(m_window.timeline().model().isCoarse());
    m_window.workspace().showPage(Page::Buffers, QStringLiteral("is:held"));
    ASSERT_TRUE(tests::waitUntil([this] { return m_window.isIdle(); }, 120'000));
    EXPECT_EQ(m_window.buffers().model().rowCount(), kBuffers / 5);
    EXPECT_EQ(m_window.buffers().model().hiddenCount(), kBuffers - kBuffers / 5);
}

TEST_F(LargeTest, OfACutOneMostIsShown) {
    std::filesystem::resize_file(m_path, std::filesystem::file_size(m_path) * 2 / 3);
    m_window.openFile(file());
    ASSERT_TRUE(tests::waitUntil([this] { return m_window.problem().offersSalvage(); }, 120'000))
        << m_window.problemText().toStdString();
    m_window.workspace().session().openSalvage();
    ASSERT_TRUE(tests::waitUntil([this] { return m_window.isIdle(); }, 120'000));
    ASSERT_EQ(m_window.mode(), MainWindow::Mode::Pages) << m_window.problemText().toStdString();
    EXPECT_GT(m_window.buffers().model().rowCount(), kBuffers / 3);
    EXPECT_LT(m_window.buffers().model().rowCount(), kBuffers);
}

}  // namespace
}  // namespace vramscope::gui
