// SPDX-License-Identifier: Apache-2.0
// Where things lie: tabs that fit, layouts under names, what is kept from one day to the next, bookmarks.
#include <QDockWidget>
#include <QListWidget>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>

#include "gui/views/bookmark_dialog.h"
#include "gui/views/command_palette.h"
#include "tests/gui/window_fixture.h"

namespace vramscope::gui {
namespace {

QStringList docksOf(MainWindow& window) {
    QStringList shown;
    for (const QDockWidget* dock : window.findChildren<QDockWidget*>()) {
        if (dock->isVisible()) shown.append(dock->objectName());
    }
    shown.sort();
    return shown;
}

TEST_F(WindowTest, EveryTabIsSeenInASmallWindow) {
    open("torch_leak");
    for (const int width : {1280, 1100, 900}) {
        m_window.resize(width, 700);
        tests::waitIdle(m_window);
        const QTabBar& tabs = m_window.tabs();
        for (int tab = 0; tab < tabs.count(); ++tab)
            EXPECT_TRUE(tabs.rect().contains(tabs.tabRect(tab))) << width << " " << tab;
        EXPECT_LE(tabs.mapTo(&m_window, QPoint(tabs.width(), 0)).x(), width);
    }
}

TEST_F(WindowTest, OurLayoutsArrangeDocksAndPage) {
    EXPECT_FALSE(m_window.applyLayout(QStringLiteral("Stacks"))) << "there is nothing to arrange yet";
    open("torch_leak");
    const QStringList all = docksOf(m_window);
    EXPECT_EQ(all.size(), 3);
    EXPECT_TRUE(m_window.applyLayout(QStringLiteral("Stacks")));
    EXPECT_EQ(docksOf(m_window), QStringList{QStringLiteral("timeline")});
    EXPECT_EQ(now().page, Page::Stacks);
    EXPECT_TRUE(m_window.applyLayout(QStringLiteral("Fragmentation")));
    EXPECT_EQ(docksOf(m_window), (QStringList{QStringLiteral("inspector"), QStringLiteral("timeline")}));
    EXPECT_EQ(now().page, Page::AddressMap);
    EXPECT_TRUE(m_window.applyLayout(QStringLiteral("Triage")));
    EXPECT_EQ(docksOf(m_window), all);
    EXPECT_FALSE(m_window.applyLayout(QStringLiteral("no such")));
}

TEST_F(WindowTest, ASavedLayoutOutlivesTheWindow) {
    QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    const QString file = tests::recordedCapture(QStringLiteral("torch_leak"));
    {
        MainWindow window(&settings);
        window.show();
        tests::openAndWait(window, file);
        ASSERT_TRUE(window.applyLayout(QStringLiteral("Stacks")));
        window.saveLayoutAs(QStringLiteral("  mine "));
        window.saveLayoutAs(QString());
        window.applyLayout(QStringLiteral("Triage"));
        window.resize(1000, 640);
        window.close();
    }
    MainWindow window(&settings);
    window.show();
    EXPECT_EQ(window.size(), QSize(1000, 640)) << "geometry is restored";
    EXPECT_TRUE(window.layoutNames().contains(QStringLiteral("mine")));
    tests::openAndWait(window, file);
    EXPECT_EQ(docksOf(window).size(), 3);
    ASSERT_TRUE(window.applyLayout(QStringLiteral("mine")));
    EXPECT_EQ(docksOf(window), QStringList{QStringLiteral("timeline")});
    EXPECT_EQ(window.workspace().now().page, Page::Stacks);
    window.resetLayout();
    EXPECT_EQ(docksOf(window).size(), 3);
    window.removeLayout(QStringLiteral("mine"));
    EXPECT_FALSE(MainWindow(&settings).layoutNames().contains(QStringLiteral("mine")));
}

TEST_F(WindowTest, BookmarksAreGoneToAndTakenAway) {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.vramscope"));
    ASSERT_TRUE(QFile::copy(tests::recordedCapture(QStringLiteral("torch_leak")), file));
    tests::openAndWait(m_window, file);
    Sidecar& notes = m_window.workspace().sidecar();
    ASSERT_TRUE(notes.addBookmark({7'100'000'000, QStringLiteral("second")}).isOk());
    ASSERT_TRUE(notes.addBookmark({6'900'000'000, QStringLiteral("first")}).isOk());
    BookmarkDialog dialog(m_window.workspace());
    ASSERT_EQ(dialog.list().count(), 2);
    EXPECT_TRUE(dialog.list().item(0)->text().contains(QStringLiteral("first")));
    dialog.goToChosen();
    EXPECT_EQ(now().timeNs, 6'900'000'000);
    dialog.removeChosen();
    ASSERT_EQ(dialog.list().count(), 1);
    EXPECT_EQ(notes.bookmarks().front().text, QStringLiteral("second"));
    EXPECT_TRUE(QFile::exists(file + QStringLiteral(".notes.json"))) << "beside the capture, not in it";
}

TEST_F(WindowTest, ThePaletteHasEveryCommandOfTheMenus) {
    open("torch_leak");
    QList<QAction*> actions;
    for (QAction* action : m_window.findChildren<QAction*>()) {
        if (!action->text().isEmpty() && !action->isSeparator()) actions.append(action);
    }
    CommandPalette palette(actions, &m_window);
    palette.setText(QStringLiteral("lay frag"));
    EXPECT_TRUE(palette.shown().contains(QStringLiteral("Layout Fragmentation")));
    palette.setText(QStringLiteral("exp"));
    EXPECT_GE(palette.shown().size(), 2);
}

}  // namespace
}  // namespace vramscope::gui
