// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>
#include <QStyleFactory>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "gui/app/heap_policy.h"
#include "gui/app/main_window.h"

namespace {

/// As in analyzer/cli: what was asked for makes no sense here.
constexpr int kUsage = 2;

/// `vramscope open FILE` hands itself over with its verb, which is no file.
std::vector<char*> withoutVerb(int argc, char** argv) {
    std::vector<char*> arguments(argv, argv + argc);
    if (argc > 1 && std::strcmp(argv[1], "open") == 0) arguments.erase(arguments.begin() + 1);
    arguments.push_back(nullptr);
    return arguments;
}

QString translated(const char* text) {
    return QCoreApplication::translate("main", text);
}

/// The command line: FILE and --goto.
class CommandLine {
public:
    CommandLine()
        : m_place(QStringLiteral("goto"), translated("Begin at finding:ID, buffer:ID or time:SECONDS"),
                  QStringLiteral("PLACE")) {
        m_parser.setApplicationDescription(
            translated("Shows a capture: who held the GPU's memory, what leaked, and why nothing fits."));
        m_parser.addHelpOption();
        m_parser.addVersionOption();
        m_parser.addPositionalArgument(QStringLiteral("FILE"),
                                       translated("A capture; without one the window shows how to get one"),
                                       QStringLiteral("[FILE]"));
        m_parser.addOption(m_place);
    }
    /// Ends the program on --help, --version and options that there are not.
    void read() { m_parser.process(*QCoreApplication::instance()); }
    QStringList files() const { return m_parser.positionalArguments(); }
    QString place() const { return m_parser.value(m_place); }

private:
    QCommandLineParser m_parser;
    QCommandLineOption m_place;
};

void nameApplication() {
    QCoreApplication::setApplicationName(QStringLiteral("vramscope"));
    QCoreApplication::setOrganizationName(QStringLiteral("vramscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(VRAMSCOPE_VERSION));
}

/// Qt ends a program that finds no display with a core dump, --help included.
bool hasDisplay(const std::vector<char*>& arguments) {
    const bool isChosen = std::any_of(arguments.begin(), arguments.end(), [](const char* word) {
        return word && std::strcmp(word, "-platform") == 0;
    });
    return isChosen || std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY") ||
           std::getenv("QT_QPA_PLATFORM");
}

int explainNoDisplay(int& count, char** arguments) {
    const QCoreApplication application(count, arguments);
    nameApplication();
    CommandLine commandLine;
    commandLine.read();
    std::fputs(
        "vramscope-viewer: there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set).\n"
        "  `vramscope report FILE` shows the capture as text; or copy the file to where there is a "
        "display.\n",
        stderr);
    return kUsage;
}

}  // namespace

int main(int argc, char** argv) {
    vramscope::gui::returnFreedMemory();
    std::vector<char*> arguments = withoutVerb(argc, argv);
    int count = static_cast<int>(arguments.size()) - 1;
    if (!hasDisplay(arguments)) return explainNoDisplay(count, arguments.data());
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    const QApplication application(count, arguments.data());
    nameApplication();
    QApplication::setDesktopFileName(QStringLiteral("org.vramscope.viewer"));
    CommandLine commandLine;
    commandLine.read();
    const QStringList files = commandLine.files();
    if (files.size() > 1) {
        std::fputs(
            "vramscope-viewer: one capture at a time; another one to compare with is chosen in the window.\n",
            stderr);
        return kUsage;
    }
    QSettings settings;
    vramscope::gui::MainWindow window(&settings);
    window.show();
    if (!files.isEmpty()) window.openFile(files.front(), commandLine.place());
    return QApplication::exec();
}
