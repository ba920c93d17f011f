// SPDX-License-Identifier: Apache-2.0
// What was lost is hatched, where it was lost.
#include <QTemporaryDir>

#include "gui/views/theme.h"
#include "gui/views/timeline_losses.h"
#include "gui/views/timeline_panel.h"
#include "tests/gui/gui_capture.h"
#include "tests/gui/window_fixture.h"

namespace vramscope::gui {
namespace {

constexpr std::int64_t kSec = 1'000'000'000;
const TimeMap kMap({0, 10 * kSec}, 100, 1000, 10 * kSec);

TEST(LossArea, IsAsWideAsTheLossWasLong) {
    const QRectF area = lossArea({2 * kSec, 4 * kSec, 7, "ring-full", true}, kMap, 50, 150);
    EXPECT_NEAR(area.left(), 300, 1e-6);
    EXPECT_NEAR(area.right(), 500, 1e-6);
    EXPECT_EQ(area.top(), 50);
    EXPECT_EQ(area.bottom(), 150);
}

TEST(LossArea, IsAStripWhereTheMemoryIsRight) {
    const QRectF area = lossArea({2 * kSec, 4 * kSec, 7, "window", false}, kMap, 50, 150);
    EXPECT_EQ(area.bottom(), 150);
    EXPECT_LT(area.height(), 20);
    EXPECT_GT(area.height(), 3);
    EXPECT_EQ(lossArea({0, kSec, 7, "window", false}, kMap, 50, 54).height(), 4) << "no higher than its lane";
}

TEST(LossArea, OfAMomentCanBeSeen) {
    EXPECT_GE(lossArea({2 * kSec, 2 * kSec, 1, "ring-full", true}, kMap, 50, 150).width(), 3);
}

TEST(LossArea, EndsWhereTheLaneEnds) {
    const TimeMap part({4 * kSec, 6 * kSec}, 100, 1000, 10 * kSec);
    const QRectF over = lossArea({0, 10 * kSec, 7, "ring-full", true}, part, 50, 150);
    EXPECT_EQ(over.left(), 100);
    EXPECT_EQ(over.right(), 1100);
    EXPECT_TRUE(lossArea({0, 3 * kSec, 7, "ring-full", true}, part, 50, 150).isEmpty());
    EXPECT_TRUE(lossArea({7 * kSec, 8 * kSec, 7, "ring-full", true}, part, 50, 150).isEmpty());
}

/// A capture of ten seconds that lost records from the fourth to the sixth.
class LossesTest : public WindowTest {
protected:
    void openWith(const std::string& reason) {
        tests::CaptureBuilder builder;
        tests::fillLeaking(builder);
        if (!reason.empty())
            builder.exec(
                "INSERT INTO drops (process_id, reason, lost_count, first_ns, last_ns) VALUES (1, '" +
                reason + "', 12, 4000000000, 6000000000)");
        const QString file = m_folder.filePath(QStringLiteral("lossy.vramscope"));
        builder.writeTo(file.toStdString());
        tests::openAndWait(m_window, file);
        view().setShown({0, 10 * kSec});
        tests::waitIdle(m_window);
        m_picture = view().grab().toImage();
    }
    TimelineView& view() { return m_window.timeline().view(); }
    /// Pixels of a colour between two moments.
    int countOf(const QColor& color, std::int64_t fromNs, std::int64_t toNs) {
        const int left = static_cast<int>(view().timeMap().xOf(fromNs));
        const int right = static_cast<int>(view().timeMap().xOf(toNs));
        int count = 0;
        for (int y = 0; y < m_picture.height() - 60; ++y) {
            for (int x = left; x < right; ++x)
                count += m_picture.pixel(x, y) == color.rgb() ? 1 : 0;
        }
        return count;
    }
    QTemporaryDir m_folder;
    QImage m_picture;
};

TEST_F(LossesTest, LostAllocationsAreHatchedOverTheMemory) {
    openWith("ring-full");
    const QColor color = themeOf(view()).problem;
    EXPECT_GT(countOf(color, 4 * kSec + kSec / 20, 6 * kSec - kSec / 20), 500);
    EXPECT_EQ(countOf(color, kSec / 10, 4 * kSec - kSec / 20), 0);
    EXPECT_EQ(countOf(color, 6 * kSec + kSec / 20, 9 * kSec), 0);
    const double middle = view().timeMap().xOf(5 * kSec);
    EXPECT_TRUE(view().readoutAt({middle, 60}).contains(QStringLiteral("12 records lost here")))
        << view().readoutAt({middle, 60}).toStdString();
}

TEST_F(LossesTest, LostStacksAreAStrip) {
    openWith("stack-table-full");
    EXPECT_EQ(countOf(themeOf(view()).problem, 4 * kSec, 6 * kSec), 0);
    const int hatched = countOf(themeOf(view()).possible, 4 * kSec + kSec / 20, 6 * kSec - kSec / 20);
    EXPECT_GT(hatched, 50);
    EXPECT_EQ(countOf(themeOf(view()).possible, kSec / 10, 4 * kSec - kSec / 20), 0);
}

TEST_F(LossesTest, NothingIsHatchedWhereNothingWasLost) {
    openWith("");
    EXPECT_EQ(countOf(themeOf(view()).problem, kSec / 10, 9 * kSec), 0);
    EXPECT_EQ(countOf(themeOf(view()).possible, kSec / 10, 9 * kSec), 0);
}

}  // namespace
}  // namespace vramscope::gui
