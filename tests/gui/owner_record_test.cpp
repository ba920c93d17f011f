// SPDX-License-Identifier: Apache-2.0
#include "gui/session/owner_record.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "gui/models/owner_chart.h"
#include "gui/models/owner_text.h"
#include "tests/analyzer/graph_support.h"
#include "tests/gui/gui_capture.h"

namespace vramscope::gui {
namespace {

using Kind = OwnerMark::Kind;
constexpr std::int64_t kMsec = 1'000'000;
constexpr std::int64_t kRecordEnd = 1000 * kMsec;

/// Two tasks in two threads; the first owns a buffer of 4096 bytes.
class OwnerRecordTest : public testing::Test {
protected:
    OwnerRecordTest() {
        m_builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (2, 1, 4712, 0)");
        m_first = m_builder.task("first");
        m_second = m_builder.task("second");
        m_builder.taskSpan(m_first, 1, 0, 9'000 * kMsec);
        m_builder.taskSpan(m_second, 2, 0, 9'000 * kMsec);
        m_buffer = m_builder.allocate({.bytes = 4096, .allocNs = 10 * kMsec, .freeNs = 900 * kMsec});
        m_builder.owner(m_buffer, m_first);
    }
    OwnerChart chartOf(std::int64_t buffer) {
        const tests::GuiCapture capture(m_builder, true);
        const Cancel cancel;
        const Row row = capture.store().rowOf({buffer});
        OwnerChart chart = withRecord(ownersAround(capture.sources(), row, kRecordEnd, cancel),
                                      capture.sources(), row, kRecordEnd, cancel);
        EXPECT_TRUE(chart.hasRecord);
        for (const PlacedMark& placed : chart.marks)
            EXPECT_FALSE(sentenceOf(placed.mark, capture.sources().stacks->facts()).isEmpty());
        return chart;
    }
    static std::vector<OwnerMark> marksOf(const OwnerChart& chart, Kind kind) {
        std::vector<OwnerMark> marks;
        for (const PlacedMark& placed : chart.marks)
            if (placed.mark.kind == kind) marks.push_back(placed.mark);
        return marks;
    }
    tests::CaptureBuilder m_builder;
    std::int64_t m_first = 0;
    std::int64_t m_second = 0;
    std::int64_t m_buffer = 0;
};

TEST_F(OwnerRecordTest, WhatIsGivenChangesHands) {
    m_builder.handOver("give", m_buffer, 1024, 1024, m_second, 100 * kMsec);
    const OwnerChart chart = chartOf(m_buffer);
    ASSERT_EQ(marksOf(chart, Kind::Give).size(), 1U);
    EXPECT_EQ(chart.tasks.size(), 2U);
    std::int64_t ownedBySecond = 0;
    std::int64_t area = 0;
    for (const PlacedSpan& placed : chart.spans) {
        const OwnedSpan& span = placed.span;
        area += span.sizeBytes * (span.time.lengthNs() / kMsec);
        if (span.task.value != m_second) continue;
        ownedBySecond += span.sizeBytes;
        EXPECT_EQ(span.offset, 1024);
        EXPECT_EQ(span.time, (TimeRange{100 * kMsec, 900 * kMsec}));
    }
    EXPECT_EQ(ownedBySecond, 1024);
    // Every byte has one owner at every moment of its life.
    EXPECT_EQ(area, 4096 * 890);
}

TEST_F(OwnerRecordTest, ALoanLastsUntilItIsEnded) {
    m_builder.handOver("lend-read", m_buffer, 0, 4096, m_second, 100 * kMsec);
    m_builder.handOver("lend-write", m_buffer, 0, 512, m_second, 150 * kMsec);
    m_builder.handOver("lend-end", m_buffer, 0, 4096, m_second, 200 * kMsec);
    m_builder.handOver("lend-read", m_buffer, 0, 4096, 0, 300 * kMsec);
    const OwnerChart chart = chartOf(m_buffer);
    const auto reads = marksOf(chart, Kind::LendRead);
    ASSERT_EQ(reads.size(), 2U);
    EXPECT_EQ(reads[0].time, (TimeRange{100 * kMsec, 200 * kMsec}));
    EXPECT_EQ(reads[1].time, (TimeRange{300 * kMsec, 900 * kMsec}));
    EXPECT_TRUE(reads[1].task.isNone());
    EXPECT_EQ(marksOf(chart, Kind::LendWrite).at(0).time.toNs, 200 * kMsec);
}

TEST_F(OwnerRecordTest, CallsAndPointersAreToldApart) {
    m_builder.set(50 * kMsec, m_buffer, 128, 64, 1);
    m_builder.launch(60 * kMsec, {m_buffer}, 1);
    m_builder.launch(70 * kMsec, {m_buffer}, 1);
    const OwnerChart chart = chartOf(m_buffer);
    const auto writes = marksOf(chart, Kind::Write);
    ASSERT_EQ(writes.size(), 1U);
    EXPECT_EQ(writes[0].offset, 128);
    EXPECT_EQ(writes[0].sizeBytes, 64);
    EXPECT_EQ(writes[0].task.value, m_first);
    const auto pointers = marksOf(chart, Kind::Pointer);
    ASSERT_EQ(pointers.size(), 1U);
    EXPECT_EQ(pointers[0].callCount, 2);
    EXPECT_EQ(pointers[0].time, (TimeRange{60 * kMsec, 70 * kMsec}));
    EXPECT_TRUE(marksOf(chart, Kind::Overwrite).empty());
}

TEST_F(OwnerRecordTest, AForeignWriteIsMarkedOnItsVictim) {
    m_builder.set(50 * kMsec, m_buffer, 0, 4096, 1);
    m_builder.set(80 * kMsec, m_buffer, 256, 64, 2);
    const auto overwrites = marksOf(chartOf(m_buffer), Kind::Overwrite);
    ASSERT_EQ(overwrites.size(), 1U);
    EXPECT_EQ(overwrites[0].buffer.value, m_buffer);
    EXPECT_EQ(overwrites[0].offset, 256);
    EXPECT_EQ(overwrites[0].sizeBytes, 64);
    EXPECT_EQ(overwrites[0].task.value, m_second);
    EXPECT_EQ(overwrites[0].time.fromNs, 80 * kMsec);
}

TEST_F(OwnerRecordTest, AWriteThroughAnotherMappingLeadsBackToTheOwners) {
    const auto handle = m_builder.vmmHandle(4096, 5 * kMsec, {}, 1, 2, {});
    // Far from each other: neighbours would share a band.
    const auto map = [&](std::int64_t task, std::int64_t atNs, std::int64_t address) {
        const auto mapping = m_builder.allocate(
            {.kind = "vmm", .address = address, .bytes = 4096, .allocNs = atNs, .handle = handle});
        m_builder.owner(mapping, task);
        return mapping;
    };
    const auto owners = map(m_first, 20 * kMsec, 0x7f3000000000);
    const auto others = map(m_second, 30 * kMsec, 0x7f5000000000);
    m_builder.set(50 * kMsec, owners, 0, 4096, 1);
    m_builder.set(80 * kMsec, others, 0, 4096, 2);
    const OwnerChart chart = chartOf(owners);
    ASSERT_EQ(chart.bands.size(), 2U);
    EXPECT_TRUE(chart.bands[1].isAlias);
    const auto at = std::find_if(chart.marks.begin(), chart.marks.end(), [](const PlacedMark& placed) {
        return placed.mark.kind == Kind::Overwrite;
    });
    ASSERT_NE(at, chart.marks.end());
    EXPECT_EQ(at->mark.buffer.value, owners);
    EXPECT_EQ(at->mark.through.value, others);
    EXPECT_EQ(chart.boxes[at->box].band, 0U);
    EXPECT_EQ(chart.boxes[at->through].band, 1U);
}

TEST_F(OwnerRecordTest, BytesBehindTheEndHaveRoom) {
    m_builder.exec(
        "INSERT INTO guard_hits (process_id, address, alloc_ns, since_ns, found_ns, first_offset, "
        "changed_bytes) "
        "SELECT 1, address, alloc_ns, 100, 200, 0, 89 FROM buffers WHERE buffer_id = " +
        std::to_string(m_buffer));
    const OwnerChart chart = chartOf(m_buffer);
    const auto hits = marksOf(chart, Kind::GuardHit);
    ASSERT_EQ(hits.size(), 1U);
    EXPECT_EQ(hits[0].offset, 4096);
    EXPECT_EQ(hits[0].sizeBytes, 89);
    EXPECT_EQ(hits[0].time, (TimeRange{100, 200}));
    EXPECT_EQ(chart.bands[0].toAddress - chart.bands[0].fromAddress, 4096U + 89U);
}

TEST_F(OwnerRecordTest, AGraphThatUsesFreedMemoryHasATail) {
    tests::GraphBuilder graphs(m_builder);
    const std::int64_t old =
        m_builder.allocate({.address = 0x7f1200000000, .allocNs = kMsec, .freeNs = 3 * kMsec});
    m_builder.allocate({.address = 0x7f1200000000, .allocNs = 4 * kMsec, .freeNs = 90 * kMsec});
    graphs.graph(10);
    graphs.holds(graphs.node(10, 1, "copy", kMsec, 0), old, "source");
    graphs.exec(20, 10, 2 * kMsec);
    m_builder.graphLaunch(2 * kMsec + 10, 20);
    m_builder.graphLaunch(5 * kMsec, 20);
    m_builder.graphLaunch(7 * kMsec, 20);
    const auto tails = marksOf(chartOf(old), Kind::AfterFree);
    ASSERT_EQ(tails.size(), 1U);
    EXPECT_EQ(tails[0].buffer.value, old);
    EXPECT_EQ(tails[0].time, (TimeRange{3 * kMsec, 7 * kMsec}));
    EXPECT_EQ(tails[0].callCount, 2);
}

TEST(OwnerChartOverlaps, TwoThatHoldTheSameBytesAtOnce) {
    tests::CaptureBuilder builder;
    builder.allocate({.address = 0x7f0000000000, .bytes = 4096, .allocNs = 10, .freeNs = 50});
    builder.allocate({.address = 0x7f0000000800, .bytes = 4096, .allocNs = 30, .freeNs = 80});
    builder.allocate({.address = 0x7f0000000000, .bytes = 2048, .allocNs = 60, .freeNs = 80});
    const tests::GuiCapture capture(builder);
    const Cancel cancel;
    const OwnerChart chart = ownersAround(capture.sources(), 0, 100, cancel);
    ASSERT_EQ(chart.overlaps.size(), 1U);
    EXPECT_EQ(chart.overlaps[0].address, 0x7f0000000800U);
    EXPECT_EQ(chart.overlaps[0].bytes, 2048);
    EXPECT_EQ(chart.overlaps[0].time, (TimeRange{30, 50}));
}

}  // namespace
}  // namespace vramscope::gui
