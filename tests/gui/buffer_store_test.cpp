// SPDX-License-Identifier: Apache-2.0
#include "gui/session/buffer_store.h"

#include <gtest/gtest.h>

#include "analyzer/model/capture_loader.h"
#include "analyzer/model/live_timeline.h"
#include "tests/gui/gui_capture.h"
#include "tests/gui/gui_environment.h"

namespace vramscope::gui {
namespace {

/// Live bytes as a walk over the events leaves them.
std::int64_t peakOf(const BufferStore& store) {
    std::int64_t live = 0;
    std::int64_t most = 0;
    for (const std::uint32_t event : store.events) {
        const Row row = event >> 1U;
        if (!store.countsAsLive[row]) continue;
        live += (event & 1U) ? -store.sizeBytes[row] : store.sizeBytes[row];
        most = std::max(most, live);
    }
    return most;
}

TEST(BufferStore, HoldsWhatTheModelHolds) {
    for (const char* name : {"torch_training", "torch_leak", "torch_expandable_segments", "two_processes",
                             "torch_async_pool", "jax_training"}) {
        SCOPED_TRACE(name);
        const std::filesystem::path path = tests::recordedCapture(QString::fromUtf8(name)).toStdString();
        const auto capture = model::loadCapture(path);
        ASSERT_TRUE(capture.isOk());
        const Cancel cancel;
        const auto store = BufferStore::load(**capture, 3, cancel);
        ASSERT_TRUE(store.isOk()) << store.status().message();
        ASSERT_EQ((*store)->bufferCount(), (*capture)->buffers.size());
        for (const model::Buffer& buffer : (*capture)->buffers) {
            const Row row = (*store)->rowOf(buffer.id);
            ASSERT_LT(row, (*store)->bufferCount());
            EXPECT_EQ((*store)->sizeBytes[row], buffer.sizeBytes);
            EXPECT_EQ((*store)->allocNs[row], buffer.allocNs);
            EXPECT_EQ((*store)->freeNs[row], buffer.freeNs);
            EXPECT_EQ((*store)->allocStack[row], buffer.allocStackId.value);
            EXPECT_EQ((*store)->kind[row], buffer.kind);
            EXPECT_EQ((*store)->endKind[row], buffer.endKind);
        }
        // The same peak as the report's, VMM handles in place of their mappings.
        EXPECT_EQ(peakOf(**store), model::LiveTimeline(**capture).peak().liveBytes);
    }
}

TEST(BufferStore, OrdersEventsByTimeFreesFirst) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 10, .allocNs = 100, .freeNs = 300});
    builder.allocate({.bytes = 20, .allocNs = 300, .freeNs = 400});
    const tests::GuiCapture capture(builder);
    const std::vector<std::uint32_t> expected{0, 1, 2, 3};
    EXPECT_EQ(capture.store().events, expected);
    EXPECT_EQ(capture.store().firstEventAt(300), 1U);
    EXPECT_EQ(peakOf(capture.store()), 20);
    EXPECT_EQ(capture.store().lastNs, 400);
}

TEST(BufferStore, NumbersWithHolesAreNoRows) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 10, .allocNs = 100});
    builder.allocate({.bytes = 20, .allocNs = 200});
    builder.allocate({.bytes = 30, .allocNs = 300});
    builder.exec("DELETE FROM buffers WHERE size_bytes = 20");
    const tests::GuiCapture capture(builder);
    ASSERT_EQ(capture.store().bufferCount(), 2U);
    EXPECT_EQ(capture.store().sizeBytes[1], 30);
    EXPECT_EQ(capture.store().rowOf({2}), capture.store().rowCount());
    EXPECT_EQ(capture.store().nameOf(0).front(), 'b');
}

TEST(BufferStore, HostileNumbersDoNotMakeItLarge) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 10, .allocNs = 100});
    builder.allocate({.bytes = 20, .allocNs = 200});
    builder.exec("UPDATE buffers SET buffer_id = 9223372036854775800 WHERE size_bytes = 20");
    builder.exec("UPDATE buffers SET buffer_id = -9223372036854775800 WHERE size_bytes = 10");
    const tests::GuiCapture capture(builder);
    ASSERT_EQ(capture.store().bufferCount(), 2U);
    EXPECT_EQ(capture.store().sizeBytes[0], 10);
    EXPECT_EQ(capture.store().sizeBytes[1], 20);
}

TEST(BufferStore, TwoNumbersFarApartDoNotMakeItLarge) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 10, .allocNs = 100});
    builder.allocate({.bytes = 20, .allocNs = 200});
    builder.exec("UPDATE buffers SET buffer_id = 90000000 WHERE size_bytes = 20");
    const tests::GuiCapture capture(builder);
    ASSERT_EQ(capture.store().bufferCount(), 2U);
    EXPECT_EQ(capture.store().rowOf({90'000'000}), 1U);
    EXPECT_LT(capture.store().memoryBytes(), 10'000U);
}

TEST(BufferStore, SizesAbove4GiBAreWhole) {
    constexpr std::int64_t kLarge = (std::int64_t{9} << 32) + 5;
    tests::CaptureBuilder builder;
    for (const std::int64_t bytes :
         {std::int64_t{0xffffffff}, kLarge, std::int64_t{7}, kLarge + 1, kLarge + 2})
        builder.allocate({.bytes = bytes, .allocNs = 100});
    // Rows behind a hole move up, with their sizes.
    builder.exec("DELETE FROM buffers WHERE buffer_id IN (1, 4)");
    const tests::GuiCapture capture(builder);
    ASSERT_EQ(capture.store().bufferCount(), 3U);
    EXPECT_EQ(capture.store().sizeBytes[0], kLarge);
    EXPECT_EQ(capture.store().sizeBytes[1], 7);
    EXPECT_EQ(capture.store().sizeBytes[2], kLarge + 2);
}

TEST(BufferStore, RowsThatOnlyAStatementReadsAreReadByOne) {
    tests::CaptureBuilder builder;
    for (int i = 0; i < 300; ++i)
        builder.allocate({.bytes = 10 + i, .allocNs = 100 + i, .freeNs = 900 + i});
    // Too long for a page, so that the row goes on in another.
    builder.exec("UPDATE buffers SET api = hex(zeroblob(6000)) WHERE buffer_id = 200");
    const tests::GuiCapture capture(builder);
    ASSERT_EQ(capture.store().bufferCount(), 300U);
    EXPECT_EQ(capture.store().apis.word(capture.store().api[199]).size(), 12'000U);
    // None, cuMemAlloc_v2, the long one, and the one of handles.
    EXPECT_EQ(capture.store().apis.size(), 4) << "nothing is left of the first try";
    for (Row row = 0; row < 300; ++row) {
        ASSERT_EQ(capture.store().sizeBytes[row], 10 + row);
        ASSERT_EQ(capture.store().freeNs[row], 900 + row);
    }
}

TEST(BufferStore, ManyDifferentOwnersAreToldApart) {
    tests::CaptureBuilder builder;
    for (int i = 0; i < 3000; ++i)
        builder.allocate({.bytes = 10, .allocNs = 100 + i});
    builder.exec("UPDATE buffers SET task_id = buffer_id * 5, process_id = buffer_id % 700");
    const tests::GuiCapture capture(builder);
    for (Row row = 0; row < 3000; ++row) {
        ASSERT_EQ(capture.store().task[row], (static_cast<std::int32_t>(row) + 1) * 5);
        ASSERT_EQ(capture.store().process[row], (static_cast<std::int32_t>(row) + 1) % 700);
        ASSERT_EQ(capture.store().kind[row], model::BufferKind::Device);
    }
}

TEST(BufferStore, ASizeThatNoMemoryHasIsRefused) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 10, .allocNs = 100});
    builder.exec("UPDATE buffers SET size_bytes = -5");
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath(QStringLiteral("bad.vramscope")).toStdString();
    builder.writeTo(path);
    model::Capture facts;
    facts.path = path;
    const Cancel cancel;
    EXPECT_FALSE(BufferStore::load(facts, 1, cancel).isOk());
}

TEST(BufferStore, CancelledLoadingSaysSo) {
    tests::CaptureBuilder builder;
    builder.allocate({.bytes = 10, .allocNs = 100});
    QTemporaryDir folder;
    model::Capture facts;
    facts.path = folder.filePath(QStringLiteral("one.vramscope")).toStdString();
    builder.writeTo(facts.path);
    Cancel cancel;
    cancel.request();
    const auto store = BufferStore::load(facts, 1, cancel);
    ASSERT_FALSE(store.isOk());
    EXPECT_EQ(store.status().kind(), ErrorKind::Incomplete);
}

}  // namespace
}  // namespace vramscope::gui
