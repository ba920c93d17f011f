// SPDX-License-Identifier: Apache-2.0
// Mouse and keys do the same in every view with time from left to right.
#include <QWheelEvent>

#include "gui/views/owners_page.h"
#include "gui/views/timeline_panel.h"
#include "tests/gui/window_fixture.h"

namespace vramscope::gui {
namespace {

class GesturesTest : public WindowTest, public testing::WithParamInterface<bool> {
protected:
    void SetUp() override {
        open("torch_leak", QStringLiteral("buffer:10"));
        if (!isTimeline()) m_window.workspace().showPage(Page::Owners);
        tests::waitIdle(m_window);
        view().setFocus();
    }
    bool isTimeline() const { return GetParam(); }
    QWidget& view() {
        if (isTimeline()) return m_window.timeline().view();
        return m_window.owners().view();
    }
    TimeMap map() {
        return isTimeline() ? m_window.timeline().view().timeMap() : m_window.owners().view().timeMap();
    }
    std::int64_t length() { return map().shown().lengthNs(); }
    QPoint middle() { return {static_cast<int>(map().left() + map().width() / 2), view().height() / 3}; }
    void drag(Qt::MouseButton button, int pixels) {
        QTest::mousePress(&view(), button, {}, middle());
        // QTest's own move has no button in it.
        for (const int x : {pixels / 2, pixels}) {
            QMouseEvent move(QEvent::MouseMove, middle() + QPoint(x, 0),
                             view().mapToGlobal(middle() + QPoint(x, 0)), Qt::NoButton, button, {});
            QApplication::sendEvent(&view(), &move);
        }
        QTest::mouseRelease(&view(), button, {}, middle() + QPoint(pixels, 0));
    }
    void wheel(int delta, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event(QPointF(middle()), view().mapToGlobal(QPointF(middle())), {}, {0, delta},
                          Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&view(), &event);
    }
};

TEST_P(GesturesTest, KeysZoomMoveAndShowAll) {
    press(view(), Qt::Key_Home);
    EXPECT_EQ(map().shown().fromNs, 0);
    const std::int64_t all = length();
    press(view(), Qt::Key_W);
    EXPECT_NEAR(static_cast<double>(length()), 0.6 * static_cast<double>(all), 2);
    press(view(), Qt::Key_Up);
    EXPECT_NEAR(static_cast<double>(length()), 0.36 * static_cast<double>(all), 2);
    const std::int64_t from = map().shown().fromNs;
    press(view(), Qt::Key_D);
    EXPECT_GT(map().shown().fromNs, from);
    press(view(), Qt::Key_Left);
    EXPECT_NEAR(static_cast<double>(map().shown().fromNs), static_cast<double>(from), 2);
    press(view(), Qt::Key_Right, Qt::ShiftModifier);
    const std::int64_t far = map().shown().fromNs;
    press(view(), Qt::Key_A);
    EXPECT_LT(map().shown().fromNs, far);
    press(view(), Qt::Key_S);
    EXPECT_NEAR(static_cast<double>(length()), 0.6 * static_cast<double>(all), 2);
    press(view(), Qt::Key_H);
    EXPECT_EQ(length(), all);
}

TEST_P(GesturesTest, DraggingSelectsARangeAndFZoomsToIt) {
    press(view(), Qt::Key_Home);
    const std::int64_t from = map().timeAt(middle().x());
    const std::int64_t to = map().timeAt(middle().x() + 60);
    drag(Qt::LeftButton, 60);
    EXPECT_EQ(now().range, (TimeRange{from, to}));
    press(view(), Qt::Key_F);
    EXPECT_LT(length(), (to - from) * 5 / 4);
    press(view(), Qt::Key_F);
    EXPECT_EQ(map().shown().fromNs, 0) << "again: everything";
    press(view(), Qt::Key_Escape);
    EXPECT_TRUE(now().range.isEmpty());
}

TEST_P(GesturesTest, SpaceTheMiddleButtonAndTheHandMove) {
    press(view(), Qt::Key_Home);
    press(view(), Qt::Key_W);
    const auto expectMove = [&](Qt::MouseButton button) {
        const std::int64_t before = map().shown().fromNs;
        drag(button, 30);
        EXPECT_LT(map().shown().fromNs, before);
        EXPECT_TRUE(now().range.isEmpty());
        drag(button, -30);
        EXPECT_NEAR(static_cast<double>(map().shown().fromNs), static_cast<double>(before),
                    map().nsPerPixel() * 2);
    };
    expectMove(Qt::MiddleButton);
    QTest::keyPress(&view(), Qt::Key_Space);
    expectMove(Qt::LeftButton);
    QTest::keyRelease(&view(), Qt::Key_Space);
    m_window.timeline().setHandTool(true);
    expectMove(Qt::LeftButton);
    m_window.timeline().setHandTool(false);
    drag(Qt::LeftButton, 60);
    EXPECT_FALSE(now().range.isEmpty());
}

TEST_P(GesturesTest, TheWheelMovesAndWithCtrlZoomsAtTheMouse) {
    press(view(), Qt::Key_Home);
    const std::int64_t under = map().timeAt(middle().x());
    wheel(240, Qt::ControlModifier);
    EXPECT_NEAR(map().xOf(under), middle().x(), 2);
    const std::int64_t from = map().shown().fromNs;
    wheel(-120, {});
    EXPECT_GT(map().shown().fromNs, from);
    wheel(120, Qt::ShiftModifier);
    EXPECT_NEAR(static_cast<double>(map().shown().fromNs), static_cast<double>(from), 2);
}

TEST_P(GesturesTest, TPutsTheCursorAtTheMouse) {
    press(view(), Qt::Key_Home);
    QMouseEvent move(QEvent::MouseMove, middle(), view().mapToGlobal(middle()), Qt::NoButton, Qt::NoButton,
                     {});
    QApplication::sendEvent(&view(), &move);
    press(view(), Qt::Key_T);
    EXPECT_EQ(now().timeNs, map().timeAt(middle().x()));
    press(view(), Qt::Key_N);
    EXPECT_EQ(now().page, Page::Finding) << "keys of the window work from here";
}

INSTANTIATE_TEST_SUITE_P(TimelineAndOwners, GesturesTest, testing::Bool());

}  // namespace
}  // namespace vramscope::gui
