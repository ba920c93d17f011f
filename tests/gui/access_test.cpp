// SPDX-License-Identifier: Apache-2.0
// For people who do not see the window, or have no mouse.
#include <QAccessible>
#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QScrollBar>
#include <set>

#include "gui/views/finding_list.h"
#include "gui/views/sql_page.h"
#include "tests/gui/window_fixture.h"

namespace vramscope::gui {
namespace {

/// Viewports and the like: Qt hands their focus to the widget around them.
bool isInner(const QWidget& widget) {
    return widget.objectName().startsWith(QLatin1String("qt_")) || qobject_cast<const QScrollBar*>(&widget);
}

QString nameOf(QWidget& widget) {
    const QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(&widget);
    return spoken ? spoken->text(QAccessible::Name).trimmed() : QString();
}

/// Each widget that can have the focus and is seen now.
std::vector<QWidget*> focusable(MainWindow& window) {
    std::vector<QWidget*> found;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        if (widget->focusPolicy() != Qt::NoFocus && widget->isVisible() && !isInner(*widget))
            found.push_back(widget);
    }
    return found;
}

class AccessTest : public WindowTest {
protected:
    void expectNames(const char* where) {
        for (QWidget* widget : focusable(m_window))
            EXPECT_FALSE(nameOf(*widget).isEmpty()) << where << ": " << widget->metaObject()->className()
                                                    << " " << widget->objectName().toStdString();
    }
    void forEachPage(const std::function<void(const char*)>& look) {
        for (int page = 0; page <= static_cast<int>(Page::Sql); ++page) {
            m_window.workspace().showPage(static_cast<Page>(page));
            tests::waitIdle(m_window);
            look(("page " + std::to_string(page)).c_str());
        }
    }
};

TEST_F(AccessTest, WhatCanHaveTheFocusHasAName) {
    expectNames("start page");
    open("torch_leak", QStringLiteral("time:7.2"));
    forEachPage([this](const char* where) { expectNames(where); });
    m_window.findings().step(1);
    m_window.sql().run(QStringLiteral("SELECT 1"));
    tests::waitIdle(m_window);
    forEachPage([this](const char* where) { expectNames(where); });
    tests::openAndWait(m_window, QStringLiteral("/nowhere.vramscope"));
    expectNames("problem page");
}

TEST_F(AccessTest, TabReachesEverything) {
    open("torch_leak", QStringLiteral("time:7.2"));
    m_window.findings().step(1);
    forEachPage([this](const char* where) {
        std::set<QWidget*> reached;
        QWidget* first = nullptr;
        for (QWidget* at = m_window.nextInFocusChain(); at && reached.insert(at).second;
             at = at->nextInFocusChain())
            first = first ? first : at;
        for (QWidget* widget : focusable(m_window)) {
            const std::string what = std::string(where) + ": " + widget->metaObject()->className() + " " +
                                     nameOf(*widget).toStdString();
            EXPECT_TRUE(widget->focusPolicy() & Qt::TabFocus) << what << " is for the mouse alone";
            EXPECT_TRUE(reached.count(widget)) << what;
        }
    });
}

TEST_F(AccessTest, TheFocusAloneChangesNothing) {
    open("torch_leak", QStringLiteral("time:7.2"));
    forEachPage([this](const char* where) {
        const Selection before = now();
        for (QWidget* widget : focusable(m_window)) {
            widget->setFocus(Qt::TabFocusReason);
            tests::waitIdle(m_window);
            EXPECT_EQ(now(), before) << where << ": " << widget->metaObject()->className();
        }
    });
}

TEST_F(AccessTest, NoTwoCommandsShareAKey) {
    std::map<QString, QString> owners;
    for (const QAction* action : m_window.findChildren<QAction*>()) {
        for (const QKeySequence& key : action->shortcuts()) {
            const auto [at, isNew] = owners.emplace(key.toString(), action->text());
            EXPECT_TRUE(isNew) << key.toString().toStdString() << " is " << at->second.toStdString()
                               << " and " << action->text().toStdString();
        }
    }
    EXPECT_GT(owners.size(), 20U);
}

TEST_F(AccessTest, MenusOpenByTheKeyboardAlone) {
    for (const QAction* menu : m_window.menuBar()->actions()) {
        EXPECT_TRUE(menu->text().contains(QLatin1Char('&'))) << menu->text().toStdString();
        ASSERT_TRUE(menu->menu());
        EXPECT_FALSE(menu->menu()->actions().isEmpty());
    }
}

}  // namespace
}  // namespace vramscope::gui
