// SPDX-License-Identifier: Apache-2.0
#include "gui/models/story.h"

#include <gtest/gtest.h>

#include "tests/gui/gui_capture.h"

namespace vramscope::gui {
namespace {

TEST(Story, ALeakIsToldInOrderOfTimeWithAPlaceForEachSentence) {
    tests::CaptureBuilder builder;
    tests::fillLeaking(builder);
    const tests::GuiCapture capture(builder, true);
    const detectors::Finding& finding = capture.sources().analysis->findings.front();
    const auto story = storyOf(finding, capture.sources(), {});
    ASSERT_GE(story.size(), 3U);
    ASSERT_LE(story.size(), 6U);
    EXPECT_EQ(story[0].when, QStringLiteral("1.000 s"));
    EXPECT_TRUE(story[0].text.contains(QStringLiteral("train.cpp:21")));
    EXPECT_EQ(story[0].target.page, Page::Buffers);
    EXPECT_EQ(story[0].target.timeNs, 1'000'000'000);
    EXPECT_EQ(story[0].target.buffer, finding.buffers.front());
    std::int64_t latest = 0;
    for (const StorySentence& sentence : story) {
        EXPECT_EQ(sentence.target.finding.toStdString(), finding.fingerprint);
        if (sentence.when.isEmpty()) continue;
        EXPECT_GE(*sentence.target.timeNs, latest);
        latest = *sentence.target.timeNs;
    }
}

TEST(Story, SelectingAFindingSelectsItsMomentRangeBuffersAndStack) {
    tests::CaptureBuilder builder;
    tests::fillLeaking(builder);
    const tests::GuiCapture capture(builder, true);
    const detectors::Finding& finding = capture.sources().analysis->findings.front();
    const Selection selection = selectionOf(finding, capture.sources(), {});
    EXPECT_EQ(selection.page, Page::Finding);
    EXPECT_EQ(selection.range, (TimeRange{1'000'000'000, 8'200'000'000}));
    EXPECT_EQ(selection.timeNs, 8'200'000'000);
    EXPECT_EQ(selection.stack, finding.stacks.front().stack);
    // One process only: naming it would hide nothing and be one more thing to take away.
    EXPECT_TRUE(selection.process.isNone());
}

}  // namespace
}  // namespace vramscope::gui
