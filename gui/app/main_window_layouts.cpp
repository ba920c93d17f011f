// SPDX-License-Identifier: Apache-2.0
// Where things lie in the window, under names; and its colours.
#include <QApplication>
#include <QDockWidget>
#include <QInputDialog>
#include <QMenu>
#include <QSettings>
#include <QStackedWidget>
#include <QStyle>
#include <QToolBar>
#include <algorithm>

#include "gui/app/main_window.h"

namespace vramscope::gui {
namespace {

constexpr int kLayoutVersion = 2;

QString nameOf(const OwnLayout& layout) {
    return QApplication::translate("LayoutStore", layout.name);
}

}  // namespace

void MainWindow::showMode(Mode mode) {
    const bool wasPages = this->mode() == Mode::Pages;
    m_centre->setCurrentIndex(static_cast<int>(mode));
    m_filterAction->setVisible(mode == Mode::Pages);
    if (mode == Mode::Pages) {
        if (!wasPages) restoreState(m_layout, kLayoutVersion);
        m_viewBar->show();
        return;
    }
    if (wasPages) m_layout = saveState(kLayoutVersion);
    m_viewBar->hide();
    for (QDockWidget* dock : m_docks)
        dock->hide();
}

MainWindow::Mode MainWindow::mode() const {
    return static_cast<Mode>(m_centre->currentIndex());
}

void MainWindow::restoreLayout() {
    m_firstLayout = saveState(kLayoutVersion);
    m_layout = m_firstLayout;
    if (!m_settings) return;
    restoreGeometry(m_settings->value(QStringLiteral("geometry")).toByteArray());
    const QByteArray layout = m_settings->value(QStringLiteral("layout")).toByteArray();
    if (!layout.isEmpty()) m_layout = layout;
    setTheme(static_cast<ThemeChoice>(m_settings->value(QStringLiteral("theme"), 0).toInt()));
}

void MainWindow::saveLayout() {
    if (!m_settings) return;
    m_settings->setValue(QStringLiteral("geometry"), saveGeometry());
    m_settings->setValue(QStringLiteral("layout"),
                         mode() == Mode::Pages ? saveState(kLayoutVersion) : m_layout);
}

void MainWindow::resetLayout() {
    m_layout = m_firstLayout;
    if (mode() == Mode::Pages) restoreState(m_firstLayout, kLayoutVersion);
}

bool MainWindow::applyLayout(const QString& name) {
    if (mode() != Mode::Pages) return false;
    for (const SavedLayout& layout : m_layouts.layouts()) {
        if (layout.name != name) continue;
        restoreState(layout.state, kLayoutVersion);
        m_workspace.showPage(layout.page);
        return true;
    }
    for (const OwnLayout& layout : ownLayouts()) {
        if (nameOf(layout) != name) continue;
        restoreState(m_firstLayout, kLayoutVersion);
        for (QDockWidget* dock : m_docks)
            dock->setVisible(layout.docks.contains(dock->objectName()));
        m_workspace.showPage(layout.page);
        return true;
    }
    return false;
}

void MainWindow::saveLayoutAs(const QString& name) {
    if (mode() != Mode::Pages || name.trimmed().isEmpty()) return;
    m_layouts.save({name.trimmed(), saveState(kLayoutVersion), m_workspace.now().page});
    fillLayoutMenu();
}

void MainWindow::removeLayout(const QString& name) {
    m_layouts.remove(name);
    fillLayoutMenu();
}

void MainWindow::askLayoutName() {
    bool isAccepted = false;
    const QString name = QInputDialog::getText(this, tr("Save the layout"), tr("Under which name?"),
                                               QLineEdit::Normal, {}, &isAccepted);
    if (isAccepted) saveLayoutAs(name);
}

QStringList MainWindow::layoutNames() const {
    QStringList names;
    for (const OwnLayout& layout : ownLayouts())
        names.append(nameOf(layout));
    for (const SavedLayout& layout : m_layouts.layouts()) {
        if (!names.contains(layout.name)) names.append(layout.name);
    }
    return names;
}

void MainWindow::fillLayoutMenu() {
    m_layoutMenu->clear();
    for (const QString& name : layoutNames())
        m_layoutMenu->addAction(tr("Layout %1").arg(name), this, [this, name] { applyLayout(name); });
    m_layoutMenu->addSeparator();
    m_layoutMenu->addAction(tr("Save the layout as ..."), this, &MainWindow::askLayoutName);
    for (const SavedLayout& layout : m_layouts.layouts())
        m_layoutMenu->addAction(tr("Forget layout %1").arg(layout.name), this,
                                [this, name = layout.name] { removeLayout(name); });
    m_layoutMenu->addAction(tr("Restore the first layout"), this, &MainWindow::resetLayout);
}

void MainWindow::setTheme(ThemeChoice choice) {
    if (m_settings) m_settings->setValue(QStringLiteral("theme"), static_cast<int>(choice));
    if (choice == ThemeChoice::System) {
        // What the desktop has decides which of ours is nearer.
        const bool isDark =
            QApplication::style()->standardPalette().color(QPalette::Window).lightness() < 128;
        return applyPalette(isDark);
    }
    applyPalette(choice == ThemeChoice::Dark);
}

}  // namespace vramscope::gui
