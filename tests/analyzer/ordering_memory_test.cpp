// SPDX-License-Identifier: Apache-2.0
// The life of memory, and what copies, sets and launches do to it, as findings of the rules.
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"
#include "tests/support/stream_program.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using formats::CopyDirection;
using formats::SyncKind;

class OrderingMemoryTest : public testing::Test {
protected:
    /// "ordering.pool-order proven" and the like, a line each.
    std::string findings() {
        std::string text;
        for (const detectors::Finding& finding : detectors::detectAll(*program.load())) {
            if (finding.rule.starts_with("ordering.") || finding.rule == "corruption.use-after-free")
                text += finding.rule + " " + std::string(name(finding.confidence)) + "\n";
        }
        return text;
    }
    formats::CopyEvent upload(std::int64_t stream, std::int64_t from, std::int64_t to) const {
        formats::CopyEvent made;
        made.streamId = stream;
        made.direction = CopyDirection::HostToDevice;
        made.isAsync = true;
        made.srcBufferId = from;
        if (from != 0) made.srcAddress = program.addressOf(from);
        made.dstBufferId = to;
        made.dstAddress = program.addressOf(to);
        made.bytes = 4096;
        return made;
    }

    CaptureBuilder builder;
    StreamProgram program{builder};
    std::int64_t a = program.stream();
    std::int64_t b = program.stream();
    std::int64_t event = program.event();
};

TEST_F(OrderingMemoryTest, UseBeforeTheAllocation) {
    program.set(b, program.allocateOn(a));
    EXPECT_EQ(findings(), "ordering.pool-order proven\n");
}

TEST_F(OrderingMemoryTest, UseAfterTheAllocationsEvent) {
    const std::int64_t block = program.allocateOn(a);
    program.record(event, a);
    program.wait(event, b);
    program.set(b, block);
    program.freeOn(block, b);
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingMemoryTest, LaunchBeforeTheAllocationIsPossible) {
    program.launch(b, {program.allocateOn(a)});
    EXPECT_EQ(findings(), "ordering.pool-order possible\n");
}

TEST_F(OrderingMemoryTest, ASetMakesSureWhatALaunchOnlyHinted) {
    const std::int64_t block = program.allocateOn(a);
    program.launch(b, {block});
    program.set(b, block);
    EXPECT_EQ(findings(), "ordering.pool-order proven\n");
}

TEST_F(OrderingMemoryTest, FreeOnAnotherStream) {
    program.freeOn(program.allocateOn(a), b);
    EXPECT_EQ(findings(), "ordering.pool-order proven\n");
}

TEST_F(OrderingMemoryTest, FreeWhileAnotherStreamWorks) {
    const std::int64_t block = program.allocateOn(a);
    program.record(event, a);
    program.wait(event, b);
    program.set(b, block);
    program.freeOn(block, a);
    EXPECT_EQ(findings(), "ordering.pending-free proven\n");
}

TEST_F(OrderingMemoryTest, FreeWhileAnotherStreamCopiesFromIt) {
    const std::int64_t block = program.allocateOn(a);
    program.record(event, a);
    program.wait(event, b);
    program.read(b, block);
    program.freeOn(block, a);
    EXPECT_EQ(findings(), "ordering.copy-source proven\n");
}

TEST_F(OrderingMemoryTest, OrderedMemoryFreedByTheHost) {
    const std::int64_t block = program.allocateOn(a);
    program.set(a, block);
    program.free(block);
    EXPECT_EQ(findings(), "ordering.pending-free proven\n");
}

TEST_F(OrderingMemoryTest, OrderedMemoryFreedByTheHostAfterASync) {
    const std::int64_t block = program.allocateOn(a);
    program.set(a, block);
    program.sync(SyncKind::StreamSync, a);
    program.free(block);
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingMemoryTest, PlainMemoryFreedInOrder) {
    const std::int64_t block = program.allocate();
    program.set(a, block);
    program.freeOn(block, b);
    EXPECT_EQ(findings(), "ordering.pending-free proven\n");
}

TEST_F(OrderingMemoryTest, PlainMemoryFreedByTheHostWaits) {
    const std::int64_t block = program.allocate();
    program.set(a, block);
    program.free(block);
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingMemoryTest, WhatEndsWithItsProcessIsNotFreed) {
    const std::int64_t block = program.allocateOn(a);
    program.set(a, block);
    program.endWithProcess(block);
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingMemoryTest, CopyBetweenDevicesIsABarrier) {
    const std::int64_t from = program.allocate();
    const std::int64_t to = program.allocate();
    formats::CopyEvent copy = upload(program.defaultStream(), from, to);
    copy.direction = CopyDirection::Peer;
    copy.isAsync = false;
    program.set(a, from);
    program.copy(copy, "cuMemcpyPeer");
    program.set(b, to);
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingMemoryTest, SourceOfACopyOverwritten) {
    const std::int64_t block = program.allocate();
    program.read(b, block);
    program.set(a, block);
    EXPECT_EQ(findings(), "ordering.copy-source proven\n");
}

TEST_F(OrderingMemoryTest, LaunchesMayAllOnlyRead) {
    const std::int64_t weights = program.allocate();
    program.launch(a, {weights});
    program.launch(b, {weights});
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingMemoryTest, UploadThatALaunchDoesNotWaitFor) {
    const std::int64_t batch = program.allocate(4096, "pinned");
    const std::int64_t block = program.allocate();
    program.copy(upload(b, batch, block), "cuMemcpyHtoDAsync_v2");
    program.launch(a, {block});
    EXPECT_EQ(findings(), "ordering.cross-stream possible\n");
}

TEST_F(OrderingMemoryTest, LaunchOnAnotherPieceOfTheBlock) {
    const std::int64_t batch = program.allocate(4096, "pinned");
    const std::int64_t block = program.allocate(1 << 20);
    program.copy(upload(b, batch, block), "cuMemcpyHtoDAsync_v2");
    program.launch(a, {block}, 8192);
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingMemoryTest, PageableAndBlockingUploadsAreDoneWhenTheyReturn) {
    const std::int64_t block = program.allocate();
    program.copy(upload(b, 0, block), "cuMemcpyHtoDAsync_v2");
    program.set(a, block);
    program.sync(SyncKind::ContextSync, 0);
    formats::CopyEvent blocking = upload(b, program.allocate(4096, "pinned"), block);
    blocking.isAsync = false;
    program.copy(blocking, "cuMemcpyHtoD_v2");
    program.set(a, block);
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingMemoryTest, CopyOnTheDeviceIsNotDoneWhenItReturns) {
    const std::int64_t from = program.allocate();
    const std::int64_t to = program.allocate();
    formats::CopyEvent copy = upload(b, from, to);
    copy.direction = CopyDirection::DeviceToDevice;
    copy.isAsync = false;
    program.copy(copy, "cuMemcpyDtoD_v2");
    program.set(a, to);
    EXPECT_EQ(findings(), "ordering.cross-stream proven\n");
}

TEST_F(OrderingMemoryTest, ColumnsOfOneMatrixDoNotMeet) {
    const std::int64_t matrix = program.allocate(1 << 20);
    for (const std::int64_t stream : {a, b}) {
        formats::CopyEvent copy = upload(stream, program.allocate(1 << 20, "pinned"), matrix);
        copy.dstOffset = stream == a ? 0 : 512;
        copy.dstAddress += copy.dstOffset;
        copy.widthBytes = 512;
        copy.rows = 8;
        copy.slices = 1;
        copy.srcPitch = 512;
        copy.dstPitch = 1024;
        program.copy(copy, "cuMemcpy2DAsync_v2");
    }
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingMemoryTest, CopyOfFreedOrderedMemory) {
    const std::int64_t batch = program.allocate(4096, "pinned");
    const std::int64_t block = program.allocateOn(a);
    formats::CopyEvent late = upload(a, batch, block);
    late.dstBufferId = 0;
    formats::CopyEvent elsewhere = late;
    elsewhere.streamId = b;
    program.freeOn(block, a);
    program.copy(late, "cuMemcpyHtoDAsync_v2");
    program.copy(elsewhere, "cuMemcpyHtoDAsync_v2");
    // Once it is out of order as well as too late, once only too late.
    const std::string text = findings();
    EXPECT_NE(text.find("corruption.use-after-free proven\n"), std::string::npos) << text;
    EXPECT_NE(text.find("ordering.pool-order proven\n"), std::string::npos) << text;
}

TEST_F(OrderingMemoryTest, CopyOfFreedMemoryOnAStreamThatDoesNotKnow) {
    const std::int64_t batch = program.allocate(4096, "pinned");
    const std::int64_t block = program.allocateOn(a);
    formats::CopyEvent late = upload(b, batch, block);
    late.dstBufferId = 0;
    program.freeOn(block, a);
    program.copy(late, "cuMemcpyHtoDAsync_v2");
    EXPECT_EQ(findings(), "ordering.pool-order proven\n");
}

TEST_F(OrderingMemoryTest, RefusedCopyOfFreedMemory) {
    const std::int64_t block = program.allocate();
    formats::CopyEvent late = upload(a, program.allocate(4096, "pinned"), block);
    late.dstBufferId = 0;
    late.result = 1;
    program.free(block);
    program.copy(late, "cuMemcpyHtoDAsync_v2");
    EXPECT_EQ(findings(), "corruption.use-after-free proven\n");
}

TEST_F(OrderingMemoryTest, PageableMemoryWherePinnedMemoryWas) {
    const std::int64_t pinned = program.allocate(4096, "pinned");
    const std::int64_t block = program.allocate();
    formats::CopyEvent copy = upload(a, pinned, block);
    copy.srcBufferId = 0;
    program.free(pinned);
    program.copy(copy, "cuMemcpyHtoDAsync_v2");
    EXPECT_EQ(findings(), "");
}

TEST_F(OrderingMemoryTest, OneFaultInALoopIsOneFinding) {
    for (int i = 0; i < 100; ++i)
        program.freeOn(program.allocateOn(a), b);
    const auto all = detectors::detectAll(*program.load());
    const auto found = findingsOf(all, "ordering.pool-order");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().count, 100);
}

TEST_F(OrderingMemoryTest, ThreadsThatMeetOnAStreamProveNothing) {
    const std::int64_t block = program.allocate();
    program.set(a, block);
    program.onThread(2);
    program.overlapNext();
    program.record(event, a);
    program.onThread(1);
    program.read(b, block);
    EXPECT_EQ(findings(), "ordering.cross-stream possible\n");
}

TEST_F(OrderingMemoryTest, NothingIsSaidWithoutAllRecords) {
    program.freeOn(program.allocateOn(a), b);
    builder.drop("ring-full", 1);
    const auto capture = program.load();
    EXPECT_FALSE(capture->ordering.isJudged);
    EXPECT_TRUE(capture->ordering.conflicts.empty());
}

TEST_F(OrderingMemoryTest, NothingIsSaidWithoutWaits) {
    program.freeOn(program.allocateOn(a), b);
    builder.fact("record_mode", "launches");
    EXPECT_FALSE(program.load()->ordering.isJudged);
}

}  // namespace
}  // namespace vramscope::tests
