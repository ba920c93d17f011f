// SPDX-License-Identifier: Apache-2.0
// Takes pictures of the window: viewer_pictures FOLDER CAPTURE [light|dark] [WIDTHxHEIGHT] [GOTO]. Nothing is
// compared here; a person looks at them, and docs/viewer.md shows some.
#include <QFileInfo>
#include <cstdio>

#include "gui/views/address_map_page.h"
#include "gui/views/finding_list.h"
#include "gui/views/keys_dialog.h"
#include "gui/views/sql_page.h"
#include "gui/views/stacks_page.h"
#include "tests/gui/gui_environment.h"

namespace {

using namespace vramscope;

void take(gui::MainWindow& window, const QString& folder, const QString& name) {
    tests::waitIdle(window);
    const QString file = folder + QLatin1Char('/') + name + QStringLiteral(".png");
    if (!window.grab().save(file)) std::fprintf(stderr, "cannot write %s\n", qPrintable(file));
}

}  // namespace

int main(int argc, char** argv) {
    const tests::GuiEnvironment environment(argc, argv);
    const QStringList arguments = QApplication::arguments();
    if (arguments.size() < 3) {
        std::fputs("usage: viewer_pictures FOLDER CAPTURE [light|dark] [WIDTHxHEIGHT] [GOTO]\n", stderr);
        return 2;
    }
    const QString folder = arguments[1];
    gui::MainWindow window(nullptr);
    window.setTheme(arguments.value(3) == QLatin1String("dark") ? gui::ThemeChoice::Dark
                                                                : gui::ThemeChoice::Light);
    const QStringList size = arguments.value(4, QStringLiteral("1280x800")).split(QLatin1Char('x'));
    window.resize(size[0].toInt(), size.value(1).toInt());
    window.show();
    take(window, folder, QStringLiteral("start"));
    tests::openAndWait(window, arguments[2], arguments.value(5));
    take(window, folder, QStringLiteral("overview"));
    if (window.mode() != gui::MainWindow::Mode::Pages) return 0;
    window.findings().step(1);
    take(window, folder, QStringLiteral("finding"));
    window.workspace().showPage(gui::Page::Buffers);
    take(window, folder, QStringLiteral("buffers"));
    window.workspace().showPage(gui::Page::Stacks);
    take(window, folder, QStringLiteral("stacks"));
    window.stacks().setForm(gui::StacksPage::Form::Table);
    take(window, folder, QStringLiteral("stacks-table"));
    window.stacks().setForm(gui::StacksPage::Form::Sandwich);
    take(window, folder, QStringLiteral("stacks-sandwich"));
    window.stacks().setForm(gui::StacksPage::Form::Flame);
    window.workspace().showPage(gui::Page::AddressMap);
    take(window, folder, QStringLiteral("map"));
    window.addressMap().setRequest(QStringLiteral("64M"));
    take(window, folder, QStringLiteral("map-request"));
    window.workspace().showPage(gui::Page::Owners);
    take(window, folder, QStringLiteral("owners"));
    window.workspace().showPage(gui::Page::Events);
    take(window, folder, QStringLiteral("events"));
    window.workspace().showPage(gui::Page::Compare);
    take(window, folder, QStringLiteral("compare"));
    window.workspace().showPage(gui::Page::Sql);
    window.sql().run(QStringLiteral(
        "SELECT kind, count(*) AS buffers, sum(size_bytes) AS bytes FROM buffers GROUP BY kind"));
    take(window, folder, QStringLiteral("sql"));
    gui::KeysDialog keys(window.shortcuts(), &window);
    keys.show();
    (void)keys.grab().save(folder + QStringLiteral("/keys.png"));
    return 0;
}
