// SPDX-License-Identifier: Apache-2.0
#include "gui/models/story.h"

#include <algorithm>
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

TEST(Story, ChangedGuardBytesAreToldWhenTheyWereFound) {
    tests::CaptureBuilder builder;
    const auto buffer = builder.allocate({.bytes = 979, .allocNs = 1'000'000'000, .freeNs = 4'000'000'000});
    builder.exec(
        "INSERT INTO guard_hits (process_id, address, alloc_ns, since_ns, found_ns, first_offset, "
        "changed_bytes) SELECT 1, address, alloc_ns, 2000000000, 3000000000, 0, 89 FROM buffers WHERE "
        "buffer_id = " +
        std::to_string(buffer));
    const tests::GuiCapture capture(builder, true);
    ASSERT_FALSE(capture.sources().analysis->findings.empty());
    const detectors::Finding& finding = capture.sources().analysis->findings.front();
    ASSERT_EQ(finding.rule, "corruption.overflow");
    const auto story = storyOf(finding, capture.sources(), {});
    ASSERT_GE(story.size(), 4U);
    EXPECT_EQ(story[1].when, QStringLiteral("2.000 s"));
    EXPECT_EQ(story[2].when, QStringLiteral("3.000 s"));
    EXPECT_TRUE(story[2].text.contains(QStringLiteral("89 bytes"))) << story[2].text.toStdString();
    EXPECT_EQ(selectionOf(finding, capture.sources(), {}).timeNs, 3'000'000'000);
}

TEST(Story, ARefusedRequestToAHeapIsToldAndLeadsToTheMap) {
    tests::CaptureBuilder builder;
    constexpr std::int64_t kUnit = 1 << 20;
    const auto user = builder.task("user");
    builder.taskSpan(user, 1, 0, 9'000'000'000);
    const auto buffer =
        builder.allocate({.address = 0x7f1000000000, .bytes = 16 * kUnit, .allocNs = 1'000'000'000});
    builder.piece("heap", buffer, 0, 16 * kUnit, 0, 1'100'000'000);
    builder.piece("block", buffer, 4 * kUnit, kUnit, user, 1'200'000'000);
    builder.piece("block", buffer, 9 * kUnit, kUnit, user, 1'200'000'000);
    builder.failedCall("vramscope_heap_failed", "heap", 0, 2'000'000'000, 0x7f1000000000, 7 * kUnit,
                       std::nullopt);
    const tests::GuiCapture capture(builder, true);
    const auto& findings = capture.sources().analysis->findings;
    const auto at = std::ranges::find(findings, std::string("fit.fragmentation"), &detectors::Finding::rule);
    ASSERT_NE(at, findings.end());
    const auto story = storyOf(*at, capture.sources(), {});
    const auto refused = std::ranges::find(story, 2'000'000'000, &StorySentence::timeNs);
    ASSERT_NE(refused, story.end());
    EXPECT_TRUE(refused->text.contains(QStringLiteral("7.0 MiB are asked for and refused")))
        << refused->text.toStdString();
    EXPECT_EQ(refused->target.page, Page::AddressMap);
    EXPECT_EQ(refused->target.timeNs, 2'000'000'000);
}

TEST(Story, WhatTheRuleDatesIsToldInItsPlaceAndSelectsTheFault) {
    tests::CaptureBuilder builder;
    const std::int64_t made = builder.stack({"/opt/app/gan!make@gan.cpp:12", "/opt/app/gan!main@gan.cpp:40"});
    const std::int64_t wrote =
        builder.stack({"/opt/app/gan!update@gan.cpp:31", "/opt/app/gan!main@gan.cpp:41"});
    builder.allocate({.bytes = 3 << 20, .allocNs = 1'000'000'000, .freeNs = 5'000'000'000, .stack = made});
    const tests::GuiCapture capture(builder, true);
    detectors::Finding finding;
    finding.rule = "corruption.overwrite";
    finding.findingClass = detectors::FindingClass::Corruption;
    finding.fingerprint = "0123456789abcdef";
    finding.buffers = {model::BufferId{1}};
    finding.stacks = {{"written by disc", model::StackId{wrote}},
                      {"owned by gen, from", model::StackId{made}}};
    finding.moments = {{2'000'000'000, "gen owns it from here on.", model::StackId{made}},
                       {3'000'000'000, "disc writes it.", model::StackId{wrote}}};
    const auto story = storyOf(finding, capture.sources(), {});
    ASSERT_EQ(story.size(), 4U);
    EXPECT_EQ(story[0].when, QStringLiteral("1.000 s"));
    EXPECT_EQ(story[1].when, QStringLiteral("2.000 s"));
    EXPECT_TRUE(story[2].text.contains(QStringLiteral("disc writes it.")));
    EXPECT_TRUE(story[2].text.contains(QStringLiteral("gan.cpp:31")));
    EXPECT_EQ(story[2].target.stack, model::StackId{wrote});
    EXPECT_EQ(story[2].target.page, Page::Owners);
    EXPECT_EQ(story[3].when, QStringLiteral("5.000 s"));
    EXPECT_EQ(selectionOf(finding, capture.sources(), {}).timeNs, 3'000'000'000);
    EXPECT_EQ(whenOf(finding, capture.store()), (TimeRange{3'000'000'000, 3'000'000'000}));
}

}  // namespace
}  // namespace vramscope::gui
