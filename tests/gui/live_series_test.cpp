// SPDX-License-Identifier: Apache-2.0
#include "gui/models/live_series.h"

#include <gtest/gtest.h>
#include <random>

#include "tests/gui/gui_capture.h"

namespace vramscope::gui {
namespace {

LiveSeries seriesOf(const tests::GuiCapture& capture, GroupBy by, std::int64_t endNs,
                    std::shared_ptr<const Grouping>* grouping = nullptr) {
    const Cancel cancel;
    auto groups =
        std::make_shared<const Grouping>(groupRows(capture.sources(), BufferFilter(), by, {}, cancel));
    if (grouping) *grouping = groups;
    return LiveSeries::build(capture.sources().store, groups, endNs, cancel);
}

/// Live bytes at a moment, counted row by row.
std::int64_t liveAt(const BufferStore& store, std::int64_t timeNs) {
    std::int64_t live = 0;
    for (Row row = 0; row < store.rowCount(); ++row) {
        if (store.countsAsLive[row] && store.isLiveAt(row, timeNs)) live += store.sizeBytes[row];
    }
    return live;
}

class LiveSeriesTest : public testing::Test {
protected:
    static constexpr std::int64_t kEndNs = 10'000'000'000;
    static tests::CaptureBuilder built() {
        tests::CaptureBuilder builder;
        const std::int64_t a = builder.stack({"/opt/app/train!a@a.cpp:1"});
        const std::int64_t b = builder.stack({"/usr/lib/libtorch.so!b"});
        std::mt19937_64 random(1);
        for (int i = 0; i < 500; ++i) {
            const auto from = static_cast<std::int64_t>(random() % 9'000'000'000);
            builder.allocate({.bytes = static_cast<std::int64_t>(random() % 100'000),
                              .allocNs = from,
                              .freeNs = from + 1 + static_cast<std::int64_t>(random() % 900'000'000),
                              .stack = i % 2 ? a : b});
        }
        // A spike of a microsecond, much narrower than any step.
        builder.allocate({.bytes = 1 << 30, .allocNs = 5'000'000'123, .freeNs = 5'000'001'123, .stack = a});
        return builder;
    }
    tests::CaptureBuilder m_builder = built();
    tests::GuiCapture m_capture{m_builder};
};

TEST_F(LiveSeriesTest, ASpikeIsSeenAtEveryZoom) {
    const LiveSeries series = seriesOf(m_capture, GroupBy::Library, kEndNs);
    for (const int count : {1, 3, 40, 1000, 4000, 100'000}) {
        std::int64_t most = 0;
        for (const GroupBytes& column : series.columns({0, kEndNs}, count))
            most = std::max(most, column.total);
        EXPECT_GE(most, std::int64_t{1} << 30) << count;
    }
    std::int64_t most = 0;
    for (const GroupBytes& column : series.columns({5'000'000'000, 5'000'002'000}, 50))
        most = std::max(most, column.total);
    EXPECT_GE(most, std::int64_t{1} << 30);
}

TEST_F(LiveSeriesTest, AMomentHoldsWhatIsLiveThen) {
    const LiveSeries series = seriesOf(m_capture, GroupBy::Library, kEndNs);
    std::mt19937_64 random(2);
    for (int i = 0; i < 200; ++i) {
        const auto at = static_cast<std::int64_t>(random() % kEndNs);
        const GroupBytes live = series.at(at);
        EXPECT_EQ(live.total, liveAt(m_capture.store(), at)) << at;
        std::int64_t sum = 0;
        for (const std::int64_t bytes : live.bytes)
            sum += bytes;
        EXPECT_EQ(sum, live.total);
    }
}

TEST_F(LiveSeriesTest, ZoomedInColumnsAreExact) {
    const LiveSeries series = seriesOf(m_capture, GroupBy::Kind, kEndNs);
    const TimeRange range{2'000'000'000, 2'000'100'000};
    const auto columns = series.columns(range, 100);
    ASSERT_EQ(columns.size(), 100U);
    for (int i = 0; i < 100; ++i)
        EXPECT_GE(columns[static_cast<std::size_t>(i)].total,
                  liveAt(m_capture.store(), range.fromNs + i * 1000))
            << i;
}

TEST_F(LiveSeriesTest, GroupsComeLargestFirstAndTheirSumIsTheWhole) {
    std::shared_ptr<const Grouping> grouping;
    const LiveSeries series = seriesOf(m_capture, GroupBy::Library, kEndNs, &grouping);
    ASSERT_EQ(grouping->labels.size(), 2U);
    EXPECT_EQ(grouping->labels[0], QStringLiteral("train"));
    EXPECT_EQ(grouping->labels[1], QStringLiteral("torch"));
    EXPECT_EQ(grouping->filters[1], QStringLiteral("library:torch"));
    EXPECT_EQ(series.largestTotal(), grouping->peakBytes);
}

TEST(LiveSeries, ManyGroupsBecomeTenWithTheRestInOne) {
    tests::CaptureBuilder builder;
    for (int i = 0; i < 30; ++i)
        builder.allocate({.bytes = 1000 + i,
                          .allocNs = 100,
                          .stack = builder.stack(
                              {"/opt/app/train!f" + std::to_string(i) + "@f.cpp:" + std::to_string(i + 1)})});
    const tests::GuiCapture capture(builder);
    std::shared_ptr<const Grouping> grouping;
    const LiveSeries series = seriesOf(capture, GroupBy::Stack, 1000, &grouping);
    EXPECT_EQ(grouping->labels.size(), kMostGroups);
    EXPECT_TRUE(grouping->labels.back().contains(QStringLiteral("21")));
    EXPECT_EQ(series.at(500).total, 30 * 1000 + 29 * 30 / 2);
}

TEST(LiveSeries, HostMemoryIsNotOnTheDevice) {
    tests::CaptureBuilder builder;
    builder.allocate({.kind = "pinned", .bytes = 5000, .allocNs = 100});
    const tests::GuiCapture capture(builder);
    EXPECT_EQ(seriesOf(capture, GroupBy::Kind, 1000).at(500).total, 0);
}

TEST(LiveSeries, ThePreviewGivesAKindAGroup) {
    Preview preview;
    preview.stepNs = 100;
    preview.stepCount = 4;
    preview.series = {{model::BufferKind::Device, {1, 2, 9, 4}}, {model::BufferKind::Async, {10, 0, 0, 0}}};
    const LiveSeries series = LiveSeries::fromPreview(preview);
    EXPECT_EQ(series.at(250).total, 9);
    EXPECT_EQ(series.columns({0, 400}, 1).front().total, 11);
    EXPECT_EQ(series.columns({0, 400}, 4)[3].bytes[0], 4);
    EXPECT_TRUE(LiveSeries::fromPreview(Preview()).isEmpty());
}

}  // namespace
}  // namespace vramscope::gui
