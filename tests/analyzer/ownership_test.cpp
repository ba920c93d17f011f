// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/ownership.h"

#include <gtest/gtest.h>
#include <string>

#include "analyzer/model/breakdown.h"
#include "tests/support/capture_builder.h"

namespace vramscope::tests {
namespace {

using model::BufferId;
using model::TaskBasis;
using model::TaskId;
using model::TaskTimeline;
using model::ThreadId;

std::string taskAt(const model::Capture& capture, std::int64_t thread, std::int64_t timeNs) {
    const TaskTimeline tasks(capture);
    return std::string(capture.taskName(tasks.at({1}, ThreadId{thread}, {}, {}, timeNs).id));
}

/// "OFFSET+BYTES NAME " of each part of the whole buffer.
std::string ownersAt(const model::Capture& capture, std::int64_t buffer, std::int64_t timeNs) {
    const TaskTimeline tasks(capture);
    model::Ownership ownership(capture, tasks);
    ownership.advanceTo(timeNs);
    const model::Buffer& row = *capture.buffers.find(BufferId{buffer});
    std::string text;
    for (const model::Owned& part : ownership.ownersOf(row, 0, row.sizeBytes)) {
        text.append(std::to_string(part.offset)).append("+").append(std::to_string(part.sizeBytes));
        text.append(" ").append(part.isHeap ? "heap" : capture.taskName(part.taskId)).append(" ");
    }
    return text;
}

TEST(TaskTimelineTest, TheDeepestMarkCounts) {
    CaptureBuilder builder;
    const auto outer = builder.task("outer");
    const auto inner = builder.task("inner");
    builder.taskSpan(outer, 1, 10, 50, "mark", 0, 0);
    builder.taskSpan(inner, 1, 20, 30, "mark", 0, 1);
    const auto capture = builder.load();
    EXPECT_EQ(taskAt(*capture, 1, 9), "train");
    EXPECT_EQ(taskAt(*capture, 1, 10), "outer");
    EXPECT_EQ(taskAt(*capture, 1, 20), "inner");
    EXPECT_EQ(taskAt(*capture, 1, 30), "outer");
    EXPECT_EQ(taskAt(*capture, 1, 50), "train");
    EXPECT_EQ(taskAt(*capture, 2, 20), "train");
}

TEST(TaskTimelineTest, LessPrecedenceCountsFirst) {
    CaptureBuilder builder;
    const auto mark = builder.task("mark");
    const auto rule = builder.task("rule");
    const auto any = builder.task("any");
    builder.taskSpan(any, 0, 0, 100, "only-active", 1000);
    builder.taskSpan(rule, 1, 0, 100, "thread", 2);
    builder.taskSpan(mark, 1, 40, 60);
    const auto capture = builder.load();
    EXPECT_EQ(taskAt(*capture, 1, 10), "rule");
    EXPECT_EQ(taskAt(*capture, 1, 50), "mark");
    EXPECT_EQ(taskAt(*capture, 2, 50), "any");
    const TaskTimeline tasks(*capture);
    EXPECT_EQ(tasks.at({1}, ThreadId{2}, {}, {}, 50).basis, TaskBasis::OnlyActive);
    EXPECT_TRUE(tasks.hasTasks());
    EXPECT_FALSE(TaskTimeline(*CaptureBuilder().load()).hasTasks());
}

TEST(TaskTimelineTest, ANameThatIsNotKnownYetIsNotReliedOn) {
    CaptureBuilder builder;
    builder.taskSpan(builder.task("a"), 1, 0, 100, "by-telepathy");
    builder.taskSpan(builder.task("b"), 2, 50, 20);  // ends before it begins
    const auto capture = builder.load();
    const TaskTimeline tasks(*capture);
    EXPECT_FALSE(isSure(tasks.at({1}, ThreadId{1}, {}, {}, 50).basis));
    EXPECT_EQ(taskAt(*capture, 2, 30), "train");
}

TEST(OwnershipTest, GiftsSplitABuffer) {
    CaptureBuilder builder;
    const auto heir = builder.task("heir");
    const auto buffer = builder.allocate({.bytes = 1000});
    builder.handOver("give", buffer, 100, 200, heir, 10);
    builder.handOver("give", buffer, 250, 100, 1, 20);
    const auto capture = builder.load();
    EXPECT_EQ(ownersAt(*capture, buffer, 9), "0+1000 train ");
    EXPECT_EQ(ownersAt(*capture, buffer, 10), "0+100 train 100+200 heir 300+700 train ");
    EXPECT_EQ(ownersAt(*capture, buffer, 20), "0+100 train 100+150 heir 250+100 train 350+650 train ");
}

TEST(OwnershipTest, BlocksComeFromAHeapAndGoBack) {
    CaptureBuilder builder;
    const auto user = builder.task("user");
    const auto buffer = builder.allocate({.bytes = 1000});
    builder.piece("heap", buffer, 0, 1000, 0, 10, 90);
    builder.piece("block", buffer, 200, 300, user, 20, 30);
    const auto capture = builder.load();
    EXPECT_EQ(ownersAt(*capture, buffer, 15), "0+1000 heap ");
    EXPECT_EQ(ownersAt(*capture, buffer, 25), "0+200 heap 200+300 user 500+500 heap ");
    EXPECT_EQ(ownersAt(*capture, buffer, 35), "0+200 heap 200+300 heap 500+500 heap ");
    EXPECT_EQ(ownersAt(*capture, buffer, 95), "0+1000 train ");
}

TEST(OwnershipTest, ALoanLastsUntilItEnds) {
    CaptureBuilder builder;
    const auto reader = builder.task("reader");
    const auto buffer = builder.allocate({.bytes = 1000});
    builder.handOver("lend-read", buffer, 0, 500, reader, 10);
    builder.handOver("lend-write", buffer, 500, 500, 0, 20);
    builder.handOver("lend-end", buffer, 0, 500, reader, 30);
    const auto capture = builder.load();
    const TaskTimeline tasks(*capture);
    model::Ownership ownership(*capture, tasks);
    const model::Buffer& row = *capture->buffers.find(BufferId{buffer});
    const TaskId task{reader};
    ownership.advanceTo(15);
    EXPECT_TRUE(ownership.isLent(row, 100, 400, task, false));
    EXPECT_FALSE(ownership.isLent(row, 100, 400, task, true));
    EXPECT_FALSE(ownership.isLent(row, 400, 200, task, false)) << "the second half is not";
    EXPECT_FALSE(ownership.isLent(row, 100, 400, TaskId{1}, false));
    ownership.advanceTo(25);
    EXPECT_TRUE(ownership.isLent(row, 400, 200, task, false));
    EXPECT_TRUE(ownership.isLent(row, 600, 100, TaskId{1}, true)) << "lent to all";
    ownership.advanceTo(35);
    EXPECT_FALSE(ownership.isLent(row, 100, 400, task, false));
    EXPECT_TRUE(ownership.wasEverLent(row, task));
}

TEST(OwnershipTest, SharesFollowTheOwner) {
    CaptureBuilder builder;
    const auto heir = builder.task("heir");
    const auto buffer = builder.allocate({.bytes = 1 << 20});
    builder.handOver("give", buffer, 0, 1 << 18, heir, 10);
    builder.piece("heap", buffer, 1 << 19, 1 << 19, 0, 20);
    const auto capture = builder.load();
    std::string text;
    for (const model::Share& share : liveShares(*capture, 30, model::SplitBy::Task))
        text.append(share.label).append(" ").append(std::to_string(share.bytes)).append(" ");
    EXPECT_EQ(text, "pool 524288 heir 262144 train 262144 ");
}

}  // namespace
}  // namespace vramscope::tests
