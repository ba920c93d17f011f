// SPDX-License-Identifier: Apache-2.0
// Files that are not as a recorder leaves them: what is said of them, and what of them is shown.
#include <QFile>
#include <QTemporaryDir>
#include <QtEndian>

#include "gui/views/buffers_page.h"
#include "gui/views/finding_list.h"
#include "gui/views/overview_page.h"
#include "gui/views/sql_page.h"
#include "gui/views/start_page.h"
#include "gui/views/timeline_panel.h"
#include "tests/gui/gui_capture.h"
#include "tests/gui/window_fixture.h"

namespace vramscope::gui {
namespace {

constexpr int kPageBytes = 4096;

class DamagedTest : public WindowTest {
protected:
    QString written(const char* name, const QByteArray& data) {
        QFile file(m_folder.filePath(QString::fromUtf8(name)));
        if (file.open(QIODevice::WriteOnly)) file.write(data);
        return file.fileName();
    }
    static QByteArray whole() {
        QFile good(tests::recordedCapture(QStringLiteral("torch_leak")));
        (void)good.open(QIODevice::ReadOnly);
        return good.readAll();
    }
    void openFile(const QString& file) {
        tests::openAndWait(m_window, file);
        SCOPED_TRACE(file.toStdString());
        EXPECT_EQ(m_window.mode(), MainWindow::Mode::Problem);
        EXPECT_GT(m_window.problemText().size(), 60);
    }
    static QByteArray bytesOf(const QString& file) {
        QFile in(file);
        (void)in.open(QIODevice::ReadOnly);
        return in.readAll();
    }

    QTemporaryDir m_folder;
};

TEST_F(DamagedTest, WhatIsNoneOfOursSaysSoAndOffersNothing) {
    openFile(written("empty.vramscope", {}));
    EXPECT_TRUE(m_window.problemText().contains(QStringLiteral("is empty")));
    openFile(written("text.vramscope", QByteArray("hello\n").repeated(1000)));
    EXPECT_TRUE(m_window.problemText().contains(QStringLiteral("not a capture")));
    openFile(m_folder.filePath(QStringLiteral("missing.vramscope")));
    QByteArray foreign = whole();
    foreign.replace(68, 4, QByteArray("\0\0\0\1", 4));
    openFile(written("foreign.vramscope", foreign));
    EXPECT_TRUE(m_window.problemText().contains(QStringLiteral("not a capture")));
    EXPECT_FALSE(m_window.problem().offersSalvage());
}

TEST_F(DamagedTest, ANewerOneTellsWhatItIs) {
    QByteArray newer = whole();
    newer[63] = 99;  // user_version, the last of four bytes
    openFile(written("newer.vramscope", newer));
    EXPECT_TRUE(m_window.problemText().contains(QStringLiteral("newer")));
    EXPECT_TRUE(m_window.problemText().contains(QStringLiteral("torch_small_step.py")))
        << m_window.problemText().toStdString();
    EXPECT_FALSE(m_window.problem().offersSalvage());
}

TEST_F(DamagedTest, OfACutOneIsShownWhatIsThere) {
    const QByteArray all = whole();
    const QString file = written("cut.vramscope", all.left(all.size() * 3 / 4));
    const QByteArray before = bytesOf(file);
    openFile(file);
    EXPECT_TRUE(m_window.problemText().contains(QStringLiteral("cut short")));
    ASSERT_TRUE(m_window.problem().offersSalvage()) << m_window.problemText().toStdString();
    Q_EMIT m_window.problem().salvageWanted();
    ASSERT_TRUE(tests::waitIdle(m_window));
    ASSERT_EQ(m_window.mode(), MainWindow::Mode::Pages);
    EXPECT_TRUE(m_window.noticeText().contains(QStringLiteral("is damaged")));
    EXPECT_GT(m_window.buffers().model().rowCount(), 0);
    EXPECT_FALSE(m_window.workspace().sources().analysis);
    EXPECT_TRUE(m_window.overview().text().contains(QStringLiteral("torch_small_step.py")));
    EXPECT_FALSE(m_window.timeline().model().lanes().empty());
    m_window.sql().run(QStringLiteral("SELECT count(*) FROM buffers"));
    ASSERT_TRUE(tests::waitIdle(m_window));
    EXPECT_EQ(m_window.sql().model().index(0, 0).data().toInt(),
              static_cast<int>(m_window.workspace().sources().store->bufferCount()));
    EXPECT_EQ(bytesOf(file), before);
    // A sound one after it has no banner, and its problems are looked for.
    open("torch_leak");
    EXPECT_TRUE(m_window.noticeText().isEmpty());
    EXPECT_TRUE(m_window.workspace().sources().analysis);
}

TEST_F(DamagedTest, OfADamagedOneTheSoundPagesAreShown) {
    QByteArray damaged = whole();
    const qsizetype middle = damaged.size() / kPageBytes * 2 / 3 * kPageBytes;
    damaged.replace(middle, kPageBytes, QByteArray(kPageBytes, '\xff'));
    openFile(written("damaged.vramscope", damaged));
    ASSERT_TRUE(m_window.problem().offersSalvage()) << m_window.problemText().toStdString();
    Q_EMIT m_window.problem().salvageWanted();
    ASSERT_TRUE(tests::waitIdle(m_window));
    EXPECT_EQ(m_window.mode(), MainWindow::Mode::Pages);
    EXPECT_TRUE(m_window.workspace().hasBuffers());
}

TEST_F(DamagedTest, WhereTheListOfTablesIsGoneNothingIsOffered) {
    QByteArray headless = whole();
    headless.replace(100, kPageBytes - 100, QByteArray(kPageBytes - 100, '\xff'));
    openFile(written("headless.vramscope", headless));
    EXPECT_FALSE(m_window.problem().offersSalvage());
}

TEST_F(DamagedTest, AnUnfinishedOneOpensAsFarAsItGoes) {
    tests::CaptureBuilder builder;
    tests::fillLeaking(builder);
    builder.fact("state", "recording");
    const QString file = m_folder.filePath(QStringLiteral("unfinished.vramscope"));
    builder.writeTo(file.toStdString());
    tests::openAndWait(m_window, file);
    ASSERT_EQ(m_window.mode(), MainWindow::Mode::Pages);
    EXPECT_EQ(m_window.buffers().model().rowCount(), 20);
    EXPECT_TRUE(m_window.liveText().contains(QStringLiteral("not finished")))
        << m_window.liveText().toStdString();
    EXPECT_TRUE(m_window.overview().text().contains(QStringLiteral("Not everything was recorded")));
}

}  // namespace
}  // namespace vramscope::gui
