// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/gui_environment.h"

#include <QElapsedTimer>
#include <QFontDatabase>
#include <QLocale>
#include <QStandardPaths>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <QTimer>
#include <cstdlib>

#include "gui/app/heap_policy.h"

namespace vramscope::tests {

struct GuiEnvironment::Parts {
    QTemporaryDir folder;
    std::unique_ptr<QApplication> application;
};

GuiEnvironment::GuiEnvironment(int& argc, char** argv) : m_parts(std::make_unique<Parts>()) {
    gui::returnFreedMemory();
    setenv("QT_QPA_PLATFORM", "offscreen", 0);
    setenv("XDG_DATA_HOME", m_parts->folder.path().toUtf8().constData(), 1);
    setenv("XDG_CONFIG_HOME", m_parts->folder.path().toUtf8().constData(), 1);
    QLocale::setDefault(QLocale::c());
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    m_parts->application = std::make_unique<QApplication>(argc, argv);
    QApplication::setApplicationName(QStringLiteral("vramscope"));
    QApplication::setApplicationVersion(QStringLiteral("test"));
    QApplication::setCursorFlashTime(0);
    QApplication::setEffectEnabled(Qt::UI_AnimateCombo, false);
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setPixelSize(12);
    QApplication::setFont(font);
    QApplication::setPalette(gui::lightPalette());
}

GuiEnvironment::~GuiEnvironment() = default;

bool waitUntil(const std::function<bool()>& isReached, int milliseconds) {
    QElapsedTimer timer;
    timer.start();
    // With a limit of time processEvents() would not wait but spin, and take a core from what is waited for.
    QTimer nudge;
    nudge.start(1);
    while (!isReached()) {
        if (timer.elapsed() > milliseconds) return false;
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    return true;
}

bool waitIdle(gui::MainWindow& window) {
    // Twice in a row: what has just been delivered may have begun something.
    int quiet = 0;
    return waitUntil([&] {
        QApplication::processEvents();
        quiet = window.isIdle() ? quiet + 1 : 0;
        return quiet > 3;
    });
}

void openAndWait(gui::MainWindow& window, const QString& file, const QString& place) {
    window.openFile(file, place);
    waitIdle(window);
}

QString recordedCapture(const QString& name) {
    return QStringLiteral(VRAMSCOPE_CAPTURES "/") + name + QStringLiteral(".vramscope");
}

}  // namespace vramscope::tests
