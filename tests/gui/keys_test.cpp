// SPDX-License-Identifier: Apache-2.0
// Keys that a person gives to commands, and the one that takes a change of the filter back.
#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>
#include <set>

#include "gui/views/filter_bar.h"
#include "gui/views/keys_dialog.h"
#include "tests/gui/window_fixture.h"

namespace vramscope::gui {
namespace {

const QString kBookmark = QStringLiteral("Bookmark this moment ...");
const QKeySequence kTheirs(Qt::CTRL | Qt::ALT | Qt::Key_M);

QAction& actionOf(MainWindow& window, const QString& name) {
    for (QAction* action : window.shortcuts().actions()) {
        if (Shortcuts::nameOf(*action) == name) return *action;
    }
    throw std::runtime_error("no command " + name.toStdString());
}

TEST_F(WindowTest, NoTwoCommandsHaveOneKeyOrOneName) {
    std::set<QString> names;
    for (QAction* action : m_window.shortcuts().actions()) {
        EXPECT_TRUE(names.insert(Shortcuts::nameOf(*action)).second) << action->text().toStdString();
        for (const QKeySequence& keys : action->shortcuts())
            EXPECT_EQ(m_window.shortcuts().takenBy(keys, *action), QString())
                << keys.toString().toStdString();
    }
}

TEST_F(WindowTest, ACommandGetsAnotherKeyUnlessItIsTaken) {
    KeysDialog dialog(m_window.shortcuts(), &m_window);
    QAction& bookmark = actionOf(m_window, kBookmark);
    dialog.selectRow(dialog.rowOf(kBookmark));
    dialog.choose(QKeySequence(Qt::CTRL | Qt::Key_E));
    EXPECT_TRUE(dialog.problem().contains(QStringLiteral("Export this view")))
        << dialog.problem().toStdString();
    EXPECT_EQ(bookmark.shortcut(), QKeySequence(Qt::CTRL | Qt::Key_B));
    dialog.choose(QKeySequence(Qt::Key_W));
    EXPECT_TRUE(dialog.problem().contains(QStringLiteral("timeline"))) << dialog.problem().toStdString();
    dialog.choose(kTheirs);
    EXPECT_TRUE(dialog.problem().isEmpty()) << dialog.problem().toStdString();
    EXPECT_EQ(bookmark.shortcut(), kTheirs);
    dialog.restoreSelected();
    EXPECT_EQ(bookmark.shortcut(), QKeySequence(Qt::CTRL | Qt::Key_B));
}

TEST_F(WindowTest, AKeyThatWasGivenAwayComesBackWithAllOthers) {
    KeysDialog dialog(m_window.shortcuts(), &m_window);
    QAction& bookmark = actionOf(m_window, kBookmark);
    dialog.selectRow(dialog.rowOf(kBookmark));
    dialog.choose({});
    EXPECT_TRUE(bookmark.shortcut().isEmpty());
    dialog.selectRow(dialog.rowOf(QStringLiteral("To the peak")));
    dialog.choose(QKeySequence(Qt::CTRL | Qt::Key_B));
    EXPECT_TRUE(dialog.problem().isEmpty()) << dialog.problem().toStdString();
    dialog.selectRow(dialog.rowOf(kBookmark));
    dialog.restoreSelected();
    EXPECT_FALSE(dialog.problem().isEmpty()) << "another command has it now";
    dialog.restoreAll();
    EXPECT_EQ(bookmark.shortcut(), QKeySequence(Qt::CTRL | Qt::Key_B));
    EXPECT_TRUE(actionOf(m_window, QStringLiteral("To the peak")).shortcut().isEmpty());
}

TEST(KeysOfAPerson, OutliveTheWindow) {
    QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    {
        MainWindow window(&settings);
        ASSERT_TRUE(window.shortcuts().choose(actionOf(window, kBookmark), kTheirs));
        ASSERT_TRUE(window.shortcuts().choose(actionOf(window, QStringLiteral("Reload")), {}));
    }
    {
        MainWindow window(&settings);
        EXPECT_EQ(actionOf(window, kBookmark).shortcut(), kTheirs);
        EXPECT_TRUE(actionOf(window, QStringLiteral("Reload")).shortcut().isEmpty());
        window.shortcuts().restoreAll();
    }
    MainWindow window(&settings);
    EXPECT_EQ(actionOf(window, kBookmark).shortcut(), QKeySequence(Qt::CTRL | Qt::Key_B));
    EXPECT_EQ(actionOf(window, QStringLiteral("Reload")).shortcut(), QKeySequence(Qt::Key_F5));
}

TEST_F(WindowTest, AnotherKeyDoesWhatTheOldOneDid) {
    open("torch_leak");
    ASSERT_TRUE(m_window.shortcuts().choose(actionOf(m_window, QStringLiteral("To the peak")), kTheirs));
    EXPECT_FALSE(now().timeNs);
    press(m_window, Qt::Key_M, Qt::ControlModifier | Qt::AltModifier);
    EXPECT_TRUE(now().timeNs);
}

TEST_F(WindowTest, CtrlZTakesTheLastChangeOfTheFilterBack) {
    open("torch_leak");
    m_window.workspace().showPage(Page::Buffers, QStringLiteral("size>1M"));
    m_window.workspace().showPage(Page::Stacks, QStringLiteral("is:held"));
    m_window.workspace().selection().change([](Selection& selection) { selection.timeNs = 7'000'000'000; });
    press(m_window, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(now().filter, QStringLiteral("size>1M"));
    EXPECT_EQ(now().timeNs, 7'000'000'000);
    press(m_window, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(now().filter, QString());
    EXPECT_EQ(now().page, Page::Stacks);
}

TEST_F(WindowTest, CtrlZInTheFilterTakesTheTypedWordBack) {
    open("torch_leak");
    m_window.workspace().showPage(Page::Buffers, QStringLiteral("size>1M"));
    auto* edit = m_window.filterBar().findChild<QLineEdit*>();
    ASSERT_NE(edit, nullptr);
    edit->setFocus();
    edit->end(false);
    QTest::keyClicks(edit, QStringLiteral(" torch"));
    tests::waitIdle(m_window);
    EXPECT_EQ(now().filter, QStringLiteral("size>1M torch"));
    press(*edit, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(now().filter, QStringLiteral("size>1M"));
    EXPECT_EQ(edit->text(), QStringLiteral("size>1M"));
}

}  // namespace
}  // namespace vramscope::gui
