// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>
#include <gtest/gtest.h>

#include "tests/gui/gui_environment.h"

namespace vramscope::gui {

/// A window of a usual size, as a person has it in front of them.
class WindowTest : public testing::Test {
protected:
    WindowTest() {
        m_window.resize(1280, 800);
        m_window.show();
        // Keys of the menus reach the active window only, and no window manager makes it so.
        m_window.activateWindow();
        (void)QTest::qWaitForWindowActive(&m_window, 2000);
    }
    void open(const char* name, const QString& place = {}) {
        tests::openAndWait(m_window, tests::recordedCapture(QString::fromUtf8(name)), place);
    }
    const Selection& now() { return m_window.workspace().now(); }
    void press(QWidget& widget, int key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(&widget, static_cast<Qt::Key>(key), modifiers);
        tests::waitIdle(m_window);
    }

    MainWindow m_window{nullptr};
};

}  // namespace vramscope::gui
