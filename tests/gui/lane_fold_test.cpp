// SPDX-License-Identifier: Apache-2.0
#include "gui/models/lane_fold.h"

#include <gtest/gtest.h>

#include "gui/models/device_spread.h"
#include "gui/models/grouping.h"
#include "gui/models/phase_names.h"
#include "gui/models/timeline_model.h"
#include "tests/gui/gui_capture.h"
#include "tests/gui/gui_environment.h"

namespace vramscope::gui {
namespace {

using Positions = std::vector<std::size_t>;

TEST(LaneFold, AFewStayApart) {
    const Fold fold = foldByPeak({5, 100, 7, 9}, 4);
    EXPECT_EQ(fold.apart, (Positions{0, 1, 2, 3}));
    EXPECT_TRUE(fold.folded.empty());
    EXPECT_TRUE(foldByPeak({}, 4).apart.empty());
}

TEST(LaneFold, TheMedianStandsForThoseThatAreAlike) {
    const Fold fold = foldByPeak({1000, 1001, 2000, 1002, 10, 1003, 1004, 1005}, 4);
    EXPECT_EQ(fold.apart, (Positions{2, 4}));
    EXPECT_EQ(fold.folded, (Positions{0, 1, 3, 5, 6, 7}));
    EXPECT_EQ(fold.median, 3U);
    EXPECT_EQ(fold.leastBytes, 1000);
    EXPECT_EQ(fold.mostBytes, 1005);
}

TEST(LaneFold, WhereAllAreAlikeOneLaneIsLeft) {
    const Fold fold = foldByPeak(std::vector<std::int64_t>(64, 500), 4);
    EXPECT_TRUE(fold.apart.empty());
    EXPECT_EQ(fold.folded.size(), 64U);
    EXPECT_EQ(fold.leastBytes, 500);
}

TEST(LaneFold, OfManyThatDifferTheFarthestStayApart) {
    const Fold fold = foldByPeak({100, 100, 100, 100, 100, 100, 100, 900, 800, 700, 600, 500}, 4);
    EXPECT_EQ(fold.apart, (Positions{7, 8, 9}));
    EXPECT_EQ(fold.folded.size(), 9U);
    EXPECT_EQ(fold.mostBytes, 600);
}

/// Six devices; device 3 has far more than the others.
tests::CaptureBuilder sixDevices() {
    tests::CaptureBuilder builder;
    for (int device = 2; device <= 6; ++device)
        builder.exec("INSERT INTO devices (device_id, uuid, name, total_bytes) VALUES (" +
                     std::to_string(device) + ", 'GPU-" + std::to_string(device) + "', 'Card', 1000000)");
    for (int device = 1; device <= 6; ++device) {
        const std::int64_t buffer = builder.allocate(
            {.bytes = device == 3 ? 900'000 : 100'000 + device, .allocNs = 1000, .freeNs = 5000});
        builder.exec("UPDATE buffers SET device_id = " + std::to_string(device) +
                     " WHERE buffer_id = " + std::to_string(buffer));
    }
    return builder;
}

TEST(LaneFold, ManyDevicesBecomeTheirMedianAndWhatDiffers) {
    tests::CaptureBuilder builder = sixDevices();
    const tests::GuiCapture capture(builder);
    Workspace workspace;
    TimelineModel model(workspace);
    workspace.session().open(capture.path());
    ASSERT_TRUE(tests::waitUntil([&] { return workspace.isIdle() && !model.isBusy() && !model.isCoarse(); }));
    ASSERT_EQ(model.lanes().size(), 2U);
    EXPECT_EQ(model.lanes()[0].device.value, 3);
    EXPECT_TRUE(model.lanes()[0].folded.empty());
    const TimelineLane& folded = model.lanes()[1];
    EXPECT_EQ(folded.folded.size(), 5U);
    EXPECT_EQ(folded.device.value, 4);
    EXPECT_TRUE(folded.title.contains(QStringLiteral("1, 2, 4, 5, 6"))) << folded.title.toStdString();
    EXPECT_EQ(folded.spread.at(2000).leastBytes, 100'001);
    EXPECT_EQ(folded.spread.at(2000).mostBytes, 100'006);
}

TEST(DeviceSpread, FollowsTheTime) {
    tests::CaptureBuilder builder = sixDevices();
    const tests::GuiCapture capture(builder);
    const Cancel cancel;
    const std::vector<model::DeviceId> devices{{1}, {3}};
    EXPECT_EQ(devicePeaks(capture.sources(), BufferFilter(), devices, cancel),
              (std::vector<std::int64_t>{100'001, 900'000}));
    const DeviceSpread spread(capture.sources(), BufferFilter(), devices, 10'000, cancel);
    EXPECT_EQ(spread.at(500).mostBytes, 0);
    EXPECT_EQ(spread.at(3000).leastBytes, 100'001);
    EXPECT_EQ(spread.at(3000).mostBytes, 900'000);
    EXPECT_EQ(spread.at(9000).mostBytes, 0);
    EXPECT_EQ(DeviceSpread().at(5).mostBytes, 0);
}

TEST(Grouping, ManyRanksFoldToThoseThatDiffer) {
    tests::CaptureBuilder builder;
    for (int process = 2; process <= 12; ++process)
        builder.process(process);
    builder.exec("UPDATE processes SET rank = process_id - 1");
    for (int process = 1; process <= 12; ++process)
        builder.allocate(
            {.process = process, .bytes = process == 5 ? 50'000 : 1000 + process, .allocNs = 10});
    const tests::GuiCapture capture(builder);
    const Cancel cancel;
    const Grouping grouping = groupRows(capture.sources(), BufferFilter(), GroupBy::Process, {}, cancel);
    ASSERT_EQ(grouping.labels.size(), 2U);
    EXPECT_EQ(grouping.labels[0], QStringLiteral("rank 4"));
    EXPECT_EQ(grouping.foldedGroup, 1);
    EXPECT_TRUE(grouping.labels[1].startsWith(QStringLiteral("11 like rank")))
        << grouping.labels[1].toStdString();
}

TEST(PhaseNames, TheInnermostOpenOneCounts) {
    tests::CaptureBuilder builder;
    builder.exec(
        "INSERT INTO phases (process_id, name, kind, start_ns, end_ns) VALUES (1, 'epoch', 'step', 10, "
        "100), "
        "(1, 'batch', 'step', 20, 40), (1, 'batch', 'step', 50, 60), (1, 'here', 'mark', 30, NULL)");
    builder.allocate({.allocNs = 25});
    builder.allocate({.allocNs = 45});
    builder.allocate({.allocNs = 500});
    const tests::GuiCapture capture(builder);
    const PhaseNames names(capture.sources().stacks->facts());
    EXPECT_EQ(names.at(1, 5), -1);
    EXPECT_EQ(names.name(names.at(1, 10)), "epoch");
    EXPECT_EQ(names.name(names.at(1, 39)), "batch");
    EXPECT_EQ(names.name(names.at(1, 40)), "epoch");
    EXPECT_EQ(names.at(1, 100), -1);
    EXPECT_EQ(names.at(7, 30), -1);
    const Cancel cancel;
    const Grouping grouping = groupRows(capture.sources(), BufferFilter(), GroupBy::Phase, {}, cancel);
    EXPECT_EQ(grouping.labels.size(), 3U);
}

}  // namespace
}  // namespace vramscope::gui
