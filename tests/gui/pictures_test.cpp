// SPDX-License-Identifier: Apache-2.0
// The window as pictures, compared with those in tests/golden/gui: light and dark.
// VRAMSCOPE_UPDATE_PICTURES=1 takes them anew; look at them before they are committed. docs/viewer.md shows
// some.
#include <QDir>
#include <QFontInfo>
#include <QFontMetrics>
#include <QImage>
#include <cstdlib>
#include <gtest/gtest.h>

#include "gui/views/finding_list.h"
#include "gui/views/owners_page.h"
#include "gui/views/timeline_panel.h"
#include "tests/gui/gui_environment.h"

namespace vramscope::gui {
namespace {

/// Letters and lines lie a little elsewhere with another Qt or font, and nothing is wrong then.
const char* const kMadeWith = "6.4.2";
constexpr int kMadeWithWidth = 231;
const QString kSample = QStringLiteral("libtorch_python.so THPVariable_empty");

/// A colour may differ by so much, and so many of a thousand pixels by more.
constexpr int kTolerance = 8;
constexpr double kMostPerMille = 1.0;

bool isUpdating() {
    return std::getenv("VRAMSCOPE_UPDATE_PICTURES") != nullptr;
}

double differingPerMille(const QImage& a, const QImage& b) {
    if (a.size() != b.size()) return 1000;
    std::int64_t count = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y);
            const QRgb q = b.pixel(x, y);
            const bool isFar = std::abs(qRed(p) - qRed(q)) > kTolerance ||
                               std::abs(qGreen(p) - qGreen(q)) > kTolerance ||
                               std::abs(qBlue(p) - qBlue(q)) > kTolerance;
            count += isFar ? 1 : 0;
        }
    }
    return 1000.0 * static_cast<double>(count) / (static_cast<double>(a.width()) * a.height());
}

/// The widget, or only `part` of it.
void compare(QWidget& widget, const QString& name, const QRect& part = QRect(0, 0, -1, -1)) {
    const QImage actual = widget.grab(part).toImage().convertToFormat(QImage::Format_RGB32);
    const QString golden = QStringLiteral(VRAMSCOPE_PICTURES "/") + name + QStringLiteral(".png");
    if (isUpdating()) {
        ASSERT_TRUE(actual.save(golden, "PNG", 0)) << golden.toStdString();
        return;
    }
    const QImage expected = QImage(golden).convertToFormat(QImage::Format_RGB32);
    ASSERT_FALSE(expected.isNull()) << golden.toStdString() << " is missing";
    const double differing = differingPerMille(actual, expected);
    if (differing <= kMostPerMille) return;
    const QString seen = QDir::temp().filePath(name + QStringLiteral(".actual.png"));
    actual.save(seen);
    ADD_FAILURE() << name.toStdString() << ": " << differing << " of 1000 pixels differ; what was seen is "
                  << seen.toStdString();
}

/// Empty where pictures would be the same as those that we have.
std::string whyOthers() {
    const int width = QFontMetrics(QApplication::font()).horizontalAdvance(kSample);
    // Between whole factors letters are not rounded to the same pixels.
    const bool isSameFont = std::abs(width - kMadeWithWidth) <= (qApp->devicePixelRatio() == 1 ? 0 : 4);
    if (isUpdating() || (qVersion() == std::string(kMadeWith) && isSameFont)) return {};
    return std::string("the pictures were made with Qt ") + kMadeWith + " and DejaVu Sans; here are Qt " +
           qVersion() + " and " + QFontInfo(QApplication::font()).family().toStdString() + ", " +
           std::to_string(width);
}

class PicturesTest : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        if (const std::string why = whyOthers(); !why.empty()) GTEST_SKIP() << why;
        m_window.setTheme(GetParam() ? ThemeChoice::Dark : ThemeChoice::Light);
        m_window.resize(1100, 700);
        m_window.show();
    }
    void TearDown() override { m_window.setTheme(ThemeChoice::Light); }
    QString named(const char* name) const {
        return QString::fromUtf8(name) + (GetParam() ? QStringLiteral("-dark") : QStringLiteral("-light"));
    }
    void look(const char* name) {
        ASSERT_TRUE(tests::waitIdle(m_window));
        compare(m_window, named(name));
    }
    MainWindow m_window{nullptr};
};

TEST_P(PicturesTest, StartPage) {
    look("start");
}

TEST_P(PicturesTest, ALeak) {
    tests::openAndWait(m_window, tests::recordedCapture(QStringLiteral("torch_leak")));
    look("overview");
    m_window.findings().step(1);
    m_window.timeline().view().setShown({6'500'000'000, 8'000'000'000});
    look("finding");
    m_window.workspace().showPage(Page::Buffers);
    look("buffers");
    m_window.workspace().showPage(Page::Stacks);
    look("stacks");
    m_window.workspace().showPage(Page::Owners);
    look("owners");
}

TEST_P(PicturesTest, ReservedRangesAndPools) {
    tests::openAndWait(m_window, tests::recordedCapture(QStringLiteral("torch_expandable_segments")));
    m_window.workspace().showPage(Page::AddressMap);
    look("map");
}

/// Parts of pages as screens with more pixels show them; ctest runs this with QT_SCALE_FACTOR 1, 1.5 and 2.
TEST(ScaledPictures, LinesAreCrispAndWordsWhole) {
    if (const std::string why = whyOthers(); !why.empty()) GTEST_SKIP() << why;
    MainWindow window(nullptr);
    window.resize(1100, 700);
    window.show();
    tests::openAndWait(window, tests::recordedCapture(QStringLiteral("torch_leak")));
    window.findings().step(1);
    window.timeline().view().setShown({6'500'000'000, 8'000'000'000});
    window.workspace().showPage(Page::Owners);
    ASSERT_TRUE(tests::waitIdle(window));
    const QString scale = QStringLiteral("-%1x").arg(window.devicePixelRatioF());
    compare(window.timeline().view(), QStringLiteral("timeline") + scale, QRect(0, 0, 330, 120));
    compare(window.owners().view(), QStringLiteral("owners") + scale, QRect(0, 0, 330, 150));
    window.workspace().showPage(Page::Overview);
    ASSERT_TRUE(tests::waitIdle(window));
    compare(window, QStringLiteral("overview") + scale, QRect(0, 50, 420, 100));
}

INSTANTIATE_TEST_SUITE_P(LightAndDark, PicturesTest, testing::Bool());

}  // namespace
}  // namespace vramscope::gui
