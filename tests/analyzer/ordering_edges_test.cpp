// SPDX-License-Identifier: Apache-2.0
// Each edge that orders two streams, and its absence: a set on one stream, a copy of the same bytes on
// another.
#include <gtest/gtest.h>

#include "tests/support/stream_program.h"

namespace vramscope::tests {
namespace {

using formats::SyncKind;
using model::ConflictKind;

class OrderingEdgesTest : public testing::Test {
protected:
    void write() { program.set(a, buffer); }
    void read() { program.read(b, buffer); }
    /// What is reported as certain, and anything at all.
    int certain() {
        int count = 0;
        for (const model::OrderingConflict& conflict : found())
            count += conflict.isCertain() ? 1 : 0;
        return count;
    }
    std::size_t all() { return found().size(); }
    const std::vector<model::OrderingConflict>& found() {
        if (!capture) capture = program.load();
        EXPECT_TRUE(capture->ordering.isJudged) << capture->ordering.whyNot;
        return capture->ordering.conflicts;
    }

    CaptureBuilder builder;
    StreamProgram program{builder};
    std::int64_t a = program.stream();
    std::int64_t b = program.stream();
    std::int64_t buffer = program.allocate();
    std::int64_t event = program.event();
    std::shared_ptr<const model::Capture> capture;
};

TEST_F(OrderingEdgesTest, NothingBetween) {
    write();
    read();
    ASSERT_EQ(found().size(), 1U);
    const model::OrderingConflict& conflict = found().front();
    EXPECT_EQ(conflict.kind, ConflictKind::Access);
    EXPECT_TRUE(conflict.isCertain());
    EXPECT_EQ(conflict.earlier.call, "cuMemsetD8Async");
    EXPECT_EQ(conflict.earlier.streamName, "stream 1");
    EXPECT_EQ(conflict.later.call, "cuMemcpyDtoHAsync_v2");
    EXPECT_EQ(conflict.later.streamName, "stream 2");
    EXPECT_EQ(conflict.sizeBytes, 4096);
}

TEST_F(OrderingEdgesTest, OneStream) {
    write();
    program.read(a, buffer);
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, OtherBytes) {
    program.set(a, buffer, 0, 1024);
    program.read(b, buffer, 1024, 1024);
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, OneByteInCommon) {
    program.set(a, buffer, 0, 1025);
    program.read(b, buffer, 1024, 1024);
    ASSERT_EQ(certain(), 1);
    EXPECT_EQ(found().front().offset, 1024);
    EXPECT_EQ(found().front().sizeBytes, 1);
}

TEST_F(OrderingEdgesTest, TwoReads) {
    write();
    program.sync(SyncKind::ContextSync, 0);
    program.read(a, buffer);
    read();
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, EventAndWait) {
    write();
    program.record(event, a);
    program.wait(event, b);
    read();
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, EventRecordedTooEarly) {
    program.record(event, a);
    write();
    program.wait(event, b);
    read();
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, EventRecordedAfterTheWait) {
    write();
    program.wait(event, b);
    program.record(event, a);
    read();
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, EventRecordedAgainElsewhere) {
    write();
    program.record(event, a);
    program.record(event, program.stream());
    program.wait(event, b);
    read();
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, ThroughAThirdStream) {
    const std::int64_t third = program.stream();
    const std::int64_t second = program.event();
    write();
    program.record(event, a);
    program.wait(event, third);
    program.record(second, third);
    program.wait(second, b);
    read();
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, EventThatAnotherProcessMayRecord) {
    const std::int64_t shared = program.event(true);
    write();
    program.wait(shared, b);
    read();
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, WorkAfterTheWaitForAnotherProcess) {
    const std::int64_t shared = program.event(true);
    program.wait(shared, b);
    write();
    read();
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, HostWaits) {
    const struct {
        SyncKind kind;
        bool isEvent;
    } kCases[] = {{SyncKind::StreamSync, false},
                  {SyncKind::StreamQuery, false},
                  {SyncKind::ContextSync, false},
                  {SyncKind::EventSync, true},
                  {SyncKind::EventQuery, true}};
    for (const auto& one : kCases) {
        CaptureBuilder other;
        StreamProgram ordered(other);
        const std::int64_t first = ordered.stream();
        const std::int64_t second = ordered.stream();
        const std::int64_t done = ordered.event();
        const std::int64_t block = ordered.allocate();
        ordered.set(first, block);
        ordered.record(done, first);
        ordered.sync(one.kind, one.isEvent || one.kind == SyncKind::ContextSync ? 0 : first,
                     one.isEvent ? done : 0);
        ordered.read(second, block);
        EXPECT_TRUE(ordered.conflicts().empty()) << static_cast<int>(one.kind);
    }
}

TEST_F(OrderingEdgesTest, QueryThatSaysNotReady) {
    write();
    program.sync(SyncKind::StreamQuery, a, 0, formats::kNotReady);
    read();
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, SyncOfTheWrongStream) {
    write();
    program.sync(SyncKind::StreamSync, b);
    read();
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, SyncBeforeTheWork) {
    program.sync(SyncKind::StreamSync, a);
    write();
    read();
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, SyncByAnotherThread) {
    write();
    program.onThread(2);
    program.sync(SyncKind::StreamSync, a);
    program.onThread(1);
    read();
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, SyncByAnotherThreadThatHasNotReturned) {
    write();
    program.onThread(2);
    program.sync(SyncKind::StreamSync, a);
    program.onThread(1);
    program.overlapNext();
    program.set(b, buffer);
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, DefaultStreamWaitsForBlockingOnesOnly) {
    const std::int64_t blocking = program.stream(true);
    const std::int64_t legacy = program.defaultStream();
    program.set(blocking, buffer);
    program.read(legacy, buffer);
    const std::int64_t second = program.allocate();
    program.set(legacy, second);
    program.read(blocking, second);
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, DefaultStreamAndANonBlockingOne) {
    const std::int64_t legacy = program.defaultStream();
    program.set(legacy, buffer, 0, 4096, false);
    program.read(b, buffer);
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, DefaultStreamOfAnotherContext) {
    builder.exec(
        "INSERT INTO contexts (context_id, process_id, context_uid, handle, device_id, is_primary, start_ns,"
        " collector_bytes) VALUES (2, 1, 2, 8192, 1, 0, 0, 0)");
    const std::int64_t blocking = program.stream(true);
    const std::int64_t legacy = program.defaultStream(2);
    program.set(blocking, buffer);
    program.read(legacy, buffer);
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, WorkOnTheDefaultStreamBetweenTwoBlockingOnes) {
    const std::int64_t first = program.stream(true);
    const std::int64_t second = program.stream(true);
    const std::int64_t legacy = program.defaultStream();
    const std::int64_t other = program.allocate();
    program.set(first, buffer);
    program.set(legacy, other);
    program.read(second, buffer);
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, TwoBlockingStreams) {
    program.set(program.stream(true), buffer);
    program.read(program.stream(true), buffer);
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, ValueWrittenBeforeTheWait) {
    const std::int64_t flag = program.allocate();
    write();
    program.writeValue(a, flag, 3);
    program.waitForValue(b, flag, 3);
    read();
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, ValueWrittenBeforeTheWork) {
    const std::int64_t flag = program.allocate();
    program.writeValue(a, flag, 3);
    write();
    program.waitForValue(b, flag, 3);
    read();
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, WaitForAValueThatNobodyIsSeenToWrite) {
    const std::int64_t flag = program.allocate();
    write();
    program.waitForValue(b, flag, 3);
    read();
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, WaitForAValueThatComesLater) {
    const std::int64_t flag = program.allocate();
    program.waitForValue(b, flag, 1, 1);
    read();
    write();
    program.writeValue(a, flag, 1);
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, UnknownWaitsEndWithASynchronisation) {
    const std::int64_t flag = program.allocate();
    program.waitForValue(b, flag, 1, 1);
    program.sync(SyncKind::StreamSync, b);
    write();
    read();
    EXPECT_EQ(certain(), 1);
}

TEST_F(OrderingEdgesTest, ExternalSemaphoreAndHostFunction) {
    for (const SyncKind kind : {SyncKind::SemaphoreWait, SyncKind::HostFunction}) {
        CaptureBuilder other;
        StreamProgram ordered(other);
        const std::int64_t first = ordered.stream();
        const std::int64_t second = ordered.stream();
        const std::int64_t block = ordered.allocate();
        ordered.set(first, block);
        ordered.sync(kind, second);
        ordered.read(second, block);
        EXPECT_TRUE(ordered.conflicts().empty()) << static_cast<int>(kind);
    }
}

TEST_F(OrderingEdgesTest, GraphThatMayRecordTheEvent) {
    write();
    program.launchGraph(a);
    program.wait(event, b);
    read();
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, FreeOfPlainMemoryWaits) {
    write();
    program.free(program.allocate());
    read();
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, AWaitDuringARecordMayMeetTheRecordBefore) {
    const std::int64_t c = program.stream();
    write();
    program.record(event, a);
    program.onThread(2);
    program.record(event, c);
    program.overlapNext();
    program.onThread(1);
    program.wait(event, b);
    read();
    EXPECT_EQ(all(), 0U);
}

TEST_F(OrderingEdgesTest, AWaitBehindARecordDoesNotMeetTheOneBefore) {
    const std::int64_t c = program.stream();
    write();
    program.record(event, a);
    program.onThread(2);
    program.record(event, c);
    program.onThread(1);
    program.wait(event, b);
    read();
    EXPECT_EQ(all(), 1U);
}

}  // namespace
}  // namespace vramscope::tests
