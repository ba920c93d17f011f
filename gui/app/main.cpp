// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>
#include <QStyleFactory>
#include <cstdio>
#include <cstring>
#include <vector>

#include "gui/app/main_window.h"

namespace {

/// `vramscope open FILE` hands itself over with its verb, which is no file.
std::vector<char*> withoutVerb(int argc, char** argv) {
    std::vector<char*> arguments(argv, argv + argc);
    if (argc > 1 && std::strcmp(argv[1], "open") == 0) arguments.erase(arguments.begin() + 1);
    arguments.push_back(nullptr);
    return arguments;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<char*> arguments = withoutVerb(argc, argv);
    int count = static_cast<int>(arguments.size()) - 1;
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication application(count, arguments.data());
    QApplication::setApplicationName(QStringLiteral("vramscope"));
    QApplication::setOrganizationName(QStringLiteral("vramscope"));
    QApplication::setApplicationVersion(QStringLiteral(VRAMSCOPE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("io.github.vramscope.viewer"));

    QCommandLineParser parser;
    parser.setApplicationDescription(QCoreApplication::translate("main", "Shows a capture: who held the GPU's memory, what leaked, and why nothing fits."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("FILE"), QCoreApplication::translate("main", "A capture; without one the window shows how to get one"), QStringLiteral("[FILE]"));
    const QCommandLineOption place(QStringLiteral("goto"), QCoreApplication::translate("main", "Begin at finding:ID, buffer:ID or time:SECONDS"), QStringLiteral("PLACE"));
    parser.addOption(place);
    parser.process(application);
    if (parser.positionalArguments().size() > 1) {
        std::fputs("vramscope-viewer: one capture at a time; a second one is chosen in the window.\n", stderr);
        return 2;
    }

    QSettings settings;
    vramscope::gui::MainWindow window(&settings);
    window.show();
    if (!parser.positionalArguments().isEmpty()) window.openFile(parser.positionalArguments().first(), parser.value(place));
    return QApplication::exec();
}
