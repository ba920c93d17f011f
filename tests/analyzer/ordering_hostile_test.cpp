// SPDX-License-Identifier: Apache-2.0
// Captures that were made to do harm: the model must end, stay small, and say nothing that is not so.
#include <gtest/gtest.h>
#include <limits>

#include "analyzer/model/capture_loader.h"
#include "tests/support/stream_program.h"

namespace vramscope::tests {
namespace {

using formats::SyncKind;

class OrderingHostileTest : public testing::Test {
protected:
    CaptureBuilder builder;
    StreamProgram program{builder};
    std::int64_t a = program.stream();
    std::int64_t b = program.stream();
};

TEST_F(OrderingHostileTest, HandlesThatNobodyKnows) {
    const std::int64_t block = program.allocate();
    program.set(999, block);
    program.sync(SyncKind::EventRecord, 999, 5);
    program.sync(SyncKind::StreamWait, 999, 5);
    program.sync(SyncKind::StreamWait, a, 0);
    program.sync(SyncKind::EventSync, 0, 777);
    program.sync(SyncKind::ContextSync, 888);
    program.launch(a, {4242}, 1 << 20);
    program.launchGraph(777);
    EXPECT_TRUE(program.load()->ordering.isJudged);
}

TEST_F(OrderingHostileTest, AWaitForAnUnknownEventOrdersWhatCameBefore) {
    const std::int64_t block = program.allocate();
    program.set(a, block);
    program.sync(SyncKind::StreamWait, b, 0);
    program.set(b, block);
    EXPECT_TRUE(program.conflicts().empty());
}

TEST_F(OrderingHostileTest, RangesOutsideEverything) {
    const std::int64_t block = program.allocate();
    formats::CopyEvent copy;
    copy.streamId = a;
    copy.direction = formats::CopyDirection::DeviceToDevice;
    copy.isAsync = true;
    copy.srcBufferId = block;
    copy.dstBufferId = block;
    for (const std::uint64_t huge : {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 63,
                                     std::uint64_t{1} << 62, std::uint64_t{0}}) {
        copy.srcAddress = program.addressOf(block) + huge;
        copy.dstAddress = huge;
        copy.bytes = huge;
        copy.rows = huge;
        copy.slices = huge;
        copy.widthBytes = huge;
        copy.srcPitch = huge;
        copy.dstPitch = huge;
        copy.srcSlicePitch = huge;
        program.copy(copy, "cuMemcpyDtoDAsync_v2");
    }
    EXPECT_TRUE(program.load()->ordering.isJudged);
}

TEST_F(OrderingHostileTest, ManyEventsThatAreNeverDone) {
    const std::int64_t block = program.allocate();
    for (std::int64_t event = 1; event <= 30'000; ++event) {
        program.sync(SyncKind::EventRecord, event % 2 != 0 ? a : b, event);
        program.sync(SyncKind::StreamWait, event % 2 != 0 ? b : a, event);
    }
    program.set(a, block);
    program.set(b, block);
    EXPECT_EQ(program.conflicts().size(), 1U);
}

TEST_F(OrderingHostileTest, MoreStreamsThanAClockHolds) {
    const std::int64_t block = program.allocate();
    const std::int64_t event = program.event();
    for (int i = 0; i < 3000; ++i) {
        const std::int64_t stream = program.stream();
        program.set(stream, program.allocate());
        program.record(event, stream);
        program.wait(event, b);
    }
    program.set(a, block);
    program.set(b, block);
    // b waited for more than can be kept, so nothing is said about it.
    EXPECT_TRUE(program.conflicts().empty());
}

TEST_F(OrderingHostileTest, ManySmallPieces) {
    const std::int64_t block = program.allocate(std::int64_t{1} << 30);
    for (std::int64_t i = 0; i < 100'000; ++i)
        program.set(a, block, i * 128, 64);
    program.set(b, block, 0, 64);
    EXPECT_EQ(program.conflicts().size(), 1U);
}

TEST_F(OrderingHostileTest, BuffersOnTopOfEachOther) {
    for (int i = 0; i < 10; ++i) {
        builder.exec(
            "INSERT INTO buffers (process_id, kind, address, generation, size_bytes, flags, api, "
            "alloc_enter_ns,"
            " alloc_ns, stream_id) VALUES (1, 'async', 139637976727552, 1, 4096, 0, 'x', 5, 6, 1)");
    }
    formats::CopyEvent copy;
    copy.streamId = a;
    copy.srcBufferId = 3;
    copy.srcAddress = 139637976727552;
    copy.bytes = 1 << 20;
    copy.isAsync = true;
    program.copy(copy, "cuMemcpyDtoHAsync_v2");
    EXPECT_TRUE(program.load()->ordering.isJudged);
}

TEST_F(OrderingHostileTest, ChunksThatLieAboutTheirTimes) {
    const std::int64_t block = program.allocate();
    program.set(a, block);
    program.sync(SyncKind::StreamSync, a);
    program.set(b, block);
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "lying.vramscope";
    std::filesystem::remove(path);
    program.writeTo(path);
    {
        auto file = formats::Connection::open(path, formats::OpenMode::ReadWrite);
        ASSERT_TRUE(file.isOk());
        ASSERT_TRUE(file->exec("UPDATE event_chunks SET first_ns = 900000000 WHERE kind = 'syncs'").isOk());
    }
    const auto capture = model::loadCapture(path);
    ASSERT_TRUE(capture.isOk()) << capture.status().message();
    EXPECT_FALSE((*capture)->ordering.isJudged);
    EXPECT_TRUE((*capture)->ordering.conflicts.empty());
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace vramscope::tests
