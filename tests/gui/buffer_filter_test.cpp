// SPDX-License-Identifier: Apache-2.0
#include "gui/models/buffer_filter.h"

#include <gtest/gtest.h>

#include "tests/gui/gui_capture.h"

namespace vramscope::gui {
namespace {

using Rows = std::vector<Row>;

class BufferFilterTest : public testing::Test {
protected:
    static tests::CaptureBuilder built() {
        tests::CaptureBuilder builder;
        const std::int64_t attention = builder.stack(
            {"/usr/lib/libtorch_cuda.so!at::native::attention", "/opt/app/train!main@train.cpp:12"});
        const std::int64_t load =
            builder.stack({"/opt/app/train!loadBatch@data.cpp:40", "/opt/app/train!main@train.cpp:14"});
        builder.allocate({.address = 0x1000000, .bytes = 4 << 20, .allocNs = 1'000, .stack = attention});
        builder.allocate({.kind = "async",
                          .address = 0x2000000,
                          .bytes = 512,
                          .allocNs = 2'000'000'000,
                          .freeNs = 2'000'500'000,
                          .stack = load});
        builder.allocate({.kind = "pinned",
                          .address = 0x3000000,
                          .bytes = 1 << 20,
                          .allocNs = 3'000,
                          .freeNs = 4'000,
                          .stack = load});
        return builder;
    }
    tests::CaptureBuilder m_builder = built();
    tests::GuiCapture m_capture{m_builder};
};

TEST_F(BufferFilterTest, ComparesNumbers) {
    EXPECT_EQ(m_capture.rowsOf({}), (Rows{0, 1, 2}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("size>1M")), (Rows{0}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("size>=1M")), (Rows{0, 2}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("size<1K")), (Rows{1}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("time>1s")), (Rows{1}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("freed<1s")), (Rows{2}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("age<1ms")), (Rows{1, 2}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("id:2")), (Rows{1}));
}

TEST_F(BufferFilterTest, AnAddressFindsTheBufferAroundIt) {
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("addr:0x1000100")), (Rows{0}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("addr:0x1400000")), (Rows{}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("addr:0x1300000..0x2000001")), (Rows{0, 1}));
}

TEST_F(BufferFilterTest, ReadsStacksLibrariesKindsAndStates) {
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("stack~attention")), (Rows{0}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("stack~data.cpp")), (Rows{1, 2}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("LOADBATCH")), (Rows{1, 2}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("library:torch")), (Rows{0}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("kind:async")), (Rows{1}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("-kind:async")), (Rows{0, 2}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("is:held")), (Rows{0}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("is:freed")), (Rows{1, 2}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("is:host")), (Rows{2}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("pid:4711 size<1K")), (Rows{1}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("pid:1")), (Rows{}));
    EXPECT_EQ(m_capture.rowsOf(QStringLiteral("nothing-has-this")), (Rows{}));
}

TEST_F(BufferFilterTest, TheScopeOfTheSelectionNarrowsToo) {
    Selection selection;
    selection.process = {1};
    EXPECT_EQ(m_capture.rowsOf({}, selection), (Rows{0, 1, 2}));
    selection.process = {2};
    EXPECT_EQ(m_capture.rowsOf({}, selection), (Rows{}));
}

TEST(BufferFilter, FindsTheBuffersOfAFinding) {
    tests::CaptureBuilder builder;
    tests::fillLeaking(builder);
    const tests::GuiCapture capture(builder, true);
    ASSERT_FALSE(capture.sources().analysis->findings.empty());
    const detectors::Finding& finding = capture.sources().analysis->findings.front();
    EXPECT_EQ(finding.rule, "leak.growth");
    EXPECT_EQ(capture.rowsOf(QStringLiteral("finding:") + QString::fromStdString(finding.fingerprint)).size(),
              10U);
    EXPECT_EQ(capture.rowsOf(QStringLiteral("finding:leak")).size(), 10U);
    EXPECT_EQ(capture.rowsOf(QStringLiteral("finding:corruption")).size(), 0U);
}

}  // namespace
}  // namespace vramscope::gui
