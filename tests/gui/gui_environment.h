// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>
#include <QString>
#include <functional>
#include <memory>

#include "gui/app/main_window.h"

namespace vramscope::tests {

/// A QApplication as tests need it: offscreen unless QT_QPA_PLATFORM says otherwise, Fusion, one font, the C
/// locale, settings and notes in a folder of its own. Made once by the main of a test program.
class GuiEnvironment {
public:
    GuiEnvironment(int& argc, char** argv);
    ~GuiEnvironment();

private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

/// Handles events until `isReached` or the time is over; true when it was reached.
bool waitUntil(const std::function<bool()>& isReached, int milliseconds = 20'000);

/// Waits until the window has nothing left to load, compute or paint.
bool waitIdle(gui::MainWindow& window);

/// Opens a file and waits.
void openAndWait(gui::MainWindow& window, const QString& file, const QString& place = {});

/// A capture of samples/captures.
QString recordedCapture(const QString& name);

}  // namespace vramscope::tests
