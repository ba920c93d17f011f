// SPDX-License-Identifier: Apache-2.0
#include "gui/models/address_map.h"

#include <gtest/gtest.h>

#include "gui/models/owner_chart.h"
#include "tests/gui/gui_capture.h"

namespace vramscope::gui {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kBase = 0x7f0000000000;

AddressMap mapOf(const tests::GuiCapture& capture, std::int64_t timeNs) {
    const Cancel cancel;
    return addressMapAt(capture.sources(), AddressOrder(capture.store(), cancel), {}, timeNs, cancel);
}

std::vector<Row> pinningRows(const MapArena& arena) {
    std::vector<Row> rows;
    for (const MapPiece& piece : arena.pieces) {
        if (piece.isPinning) rows.push_back(piece.row);
    }
    return rows;
}

TEST(AddressMap, HolesOfAReservationAreBetweenItsMappings) {
    tests::CaptureBuilder builder;
    builder.exec(
        "INSERT INTO vmm_reservations (reservation_id, process_id, address, size_bytes, start_ns) VALUES (1, "
        "1, " +
        std::to_string(kBase) + ", " + std::to_string(100 * kMiB) + ", 0)");
    builder.allocate({.kind = "vmm", .address = kBase, .bytes = 2 * kMiB, .allocNs = 10});
    builder.allocate({.kind = "vmm", .address = kBase + 6 * kMiB, .bytes = 2 * kMiB, .allocNs = 10});
    builder.allocate(
        {.kind = "vmm", .address = kBase + 10 * kMiB, .bytes = 2 * kMiB, .allocNs = 10, .freeNs = 50});
    const tests::GuiCapture capture(builder);
    const AddressMap map = mapOf(capture, 20);
    ASSERT_EQ(map.arenas.size(), 1U);
    const MapArena& arena = map.arenas.front();
    EXPECT_EQ(arena.usedBytes, 6 * kMiB);
    EXPECT_EQ(arena.holeBytes, 6 * kMiB);
    EXPECT_EQ(arena.largestHoleBytes, 4 * kMiB);
    EXPECT_EQ(pinningRows(arena), (std::vector<Row>{0, 1}));
    // Behind the last mapping is room to grow, and no hole.
    EXPECT_EQ(arena.bytes, 12 * kMiB);
    std::int64_t at = 0;
    for (const MapPiece& piece : arena.pieces) {
        EXPECT_EQ(piece.offsetBytes, at);
        at += piece.bytes;
    }
    EXPECT_EQ(at, arena.bytes);
    EXPECT_EQ(mapOf(capture, 60).arenas.front().usedBytes, 4 * kMiB);
}

TEST(AddressMap, DriverAllocationsAreTotalsAndNeverHaveHoles) {
    tests::CaptureBuilder builder;
    builder.allocate({.address = kBase, .bytes = 4 * kMiB, .allocNs = 10});
    builder.allocate({.address = kBase + 40 * kMiB, .bytes = 4 * kMiB, .allocNs = 10});
    const tests::GuiCapture capture(builder);
    const AddressMap map = mapOf(capture, 20);
    EXPECT_TRUE(map.arenas.empty());
    ASSERT_EQ(map.totals.size(), 1U);
    EXPECT_EQ(map.totals.front().bytes, 8 * kMiB);
    EXPECT_EQ(map.totals.front().count, 2);
}

TEST(AddressMap, SmallBuffersShareAPage) {
    tests::CaptureBuilder builder;
    builder.allocate({.address = kBase, .bytes = 1024, .allocNs = 10});
    builder.allocate({.address = kBase + 8192, .bytes = 1024, .allocNs = 10});
    const tests::GuiCapture capture(builder);
    const AddressMap map = mapOf(capture, 20);
    ASSERT_EQ(map.arenas.size(), 1U);
    EXPECT_EQ(map.arenas.front().kind, MapArena::Kind::SmallPages);
    EXPECT_EQ(map.arenas.front().bytes, 2 * kMiB);
    EXPECT_EQ(map.arenas.front().usedBytes, 2048);
    EXPECT_TRUE(titleOf(map.arenas.front()).contains(QStringLiteral("from 0x7f0000000000: 2.0 MiB")));
}

TEST(AddressMap, FollowsTheMomentWhateverTheOrderOfRows) {
    tests::CaptureBuilder builder;
    // By address the last comes first; the second was allocated before the first.
    builder.allocate({.kind = "async", .address = kBase + 9 * kMiB, .bytes = 3, .allocNs = 50});
    builder.allocate({.kind = "async", .address = kBase + 5 * kMiB, .bytes = 2, .allocNs = 10, .freeNs = 60});
    builder.allocate({.kind = "async", .address = kBase, .bytes = 1, .allocNs = 40});
    const tests::GuiCapture capture(builder);
    const auto rowsAt = [&](std::int64_t timeNs) {
        std::vector<Row> rows;
        for (const MapArena& arena : mapOf(capture, timeNs).arenas) {
            for (const MapPiece& piece : arena.pieces)
                rows.push_back(piece.row);
        }
        return rows;
    };
    EXPECT_EQ(rowsAt(5), std::vector<Row>{});
    EXPECT_EQ(rowsAt(10), (std::vector<Row>{1}));
    EXPECT_EQ(rowsAt(50), (std::vector<Row>{2, 1, 0}));
    EXPECT_EQ(rowsAt(60), (std::vector<Row>{2, 0}));
}

TEST(AddressMap, OverlappingMappingsOfAHostileFileAreDrawnOnce) {
    tests::CaptureBuilder builder;
    builder.exec(
        "INSERT INTO vmm_reservations (reservation_id, process_id, address, size_bytes, start_ns) VALUES (1, "
        "1, " +
        std::to_string(kBase) + ", 1000, 0)");
    builder.allocate({.kind = "vmm", .address = kBase, .bytes = 800, .allocNs = 10});
    builder.allocate({.kind = "vmm", .address = kBase + 100, .bytes = 100, .allocNs = 10});
    builder.allocate({.kind = "vmm", .address = kBase + 700, .bytes = 5000, .allocNs = 10});
    const tests::GuiCapture capture(builder);
    const MapArena arena = mapOf(capture, 20).arenas.at(0);
    EXPECT_EQ(arena.usedBytes, 1000);
    EXPECT_EQ(arena.holeBytes, 0);
}

TEST(AddressMap, APoolIsWhatItReserved) {
    tests::CaptureBuilder builder;
    const std::int64_t pool = builder.pool(true, std::nullopt);
    builder.poolSample(5, pool, 32 * kMiB, 4 * kMiB);
    builder.allocate({.kind = "async", .address = kBase, .bytes = 4 * kMiB, .allocNs = 10, .pool = pool});
    const tests::GuiCapture capture(builder);
    const MapArena arena = mapOf(capture, 20).arenas.at(0);
    EXPECT_EQ(arena.kind, MapArena::Kind::Pool);
    EXPECT_EQ(arena.bytes, 32 * kMiB);
    EXPECT_EQ(arena.usedBytes, 4 * kMiB);
    EXPECT_EQ(arena.holeBytes, 0);
}

TEST(AddressMap, ARequestGoesIntoTheSmallestStretchThatHasRoom) {
    tests::CaptureBuilder builder;
    builder.exec(
        "INSERT INTO vmm_reservations (reservation_id, process_id, address, size_bytes, start_ns) VALUES (1, "
        "1, " +
        std::to_string(kBase) + ", 10000, 0)");
    builder.allocate({.kind = "vmm", .address = kBase, .bytes = 1000, .allocNs = 10});
    builder.allocate({.kind = "vmm", .address = kBase + 5000, .bytes = 1000, .allocNs = 10});
    builder.allocate({.kind = "vmm", .address = kBase + 8000, .bytes = 2000, .allocNs = 10});
    const tests::GuiCapture capture(builder);
    const MapArena arena = mapOf(capture, 20).arenas.at(0);
    EXPECT_EQ(fitOf(arena, 1500).offsetBytes, 6000);
    EXPECT_TRUE(fitOf(arena, 2000).fits);
    EXPECT_EQ(fitOf(arena, 2001).offsetBytes, 1000);
    EXPECT_FALSE(fitOf(arena, 4001).fits);
    EXPECT_EQ(fitOf(arena, 4001).offsetBytes, 1000);
}

TEST(AddressMap, AHeapOfTheProgramShowsItsBlocksAndWhatIsInTheWay) {
    tests::CaptureBuilder builder;
    const auto user = builder.task("user");
    const auto buffer = builder.allocate({.address = kBase, .bytes = 16 * kMiB, .allocNs = 10});
    builder.piece("heap", buffer, 0, 16 * kMiB, 0, 20);
    builder.piece("block", buffer, 4 * kMiB, kMiB, user, 30);
    builder.piece("block", buffer, 8 * kMiB, 4 * kMiB, user, 30, 100);
    const tests::GuiCapture capture(builder, true);
    const AddressMap map = mapOf(capture, 50);
    ASSERT_EQ(map.arenas.size(), 1U);
    const MapArena& arena = map.arenas.front();
    EXPECT_EQ(arena.kind, MapArena::Kind::Heap);
    EXPECT_TRUE(arena.title.contains(QStringLiteral("piece"))) << arena.title.toStdString();
    EXPECT_EQ(arena.usedBytes, 5 * kMiB);
    EXPECT_EQ(arena.holeBytes, 11 * kMiB) << "a heap cannot grow: what is behind its last block counts, too";
    EXPECT_EQ(arena.largestHoleBytes, 4 * kMiB);
    ASSERT_EQ(map.blocks.size(), 2U);
    EXPECT_EQ(map.blocks[0].owner, QStringLiteral("user"));
    // Without the small one there would be a hole of eight.
    ASSERT_EQ(pinningRows(arena).size(), 1U);
    const auto pinning = std::ranges::find_if(arena.pieces, &MapPiece::isPinning);
    EXPECT_EQ(pinning->offsetBytes, 4 * kMiB);
    EXPECT_EQ(mapOf(capture, 15).arenas.size(), 0U) << "not declared yet";
    EXPECT_EQ(mapOf(capture, 150).blocks.size(), 1U) << "given back";
}

TEST(OwnerChart, ASmallBufferIsNotLostBesideALargeOne) {
    tests::CaptureBuilder builder;
    builder.allocate({.address = kBase, .bytes = 1000, .allocNs = 10});
    builder.allocate({.address = kBase + 1024, .bytes = 1 * kMiB, .allocNs = 10});
    const tests::GuiCapture capture(builder);
    const Cancel cancel;
    const OwnerChart chart = ownersAround(capture.sources(), 0, 100, cancel);
    EXPECT_EQ(chart.boxes.size(), 2U);
    EXPECT_LE(chart.toAddress - chart.fromAddress, 7000U);
    const OwnerChart around = ownersAround(capture.sources(), 1, 100, cancel);
    EXPECT_EQ(around.fromAddress, static_cast<std::uint64_t>(kBase)) << "a large one has a page beside it";
}

TEST(OwnerChart, ShowsWhoHeldTheBytesBeforeAndBeside) {
    tests::CaptureBuilder builder;
    builder.allocate({.address = kBase, .bytes = 4 * kMiB, .allocNs = 10, .freeNs = 20});
    builder.allocate({.address = kBase, .bytes = 4 * kMiB, .allocNs = 30});
    builder.allocate({.address = kBase + 4 * kMiB, .bytes = 4 * kMiB, .allocNs = 15});
    builder.allocate({.address = kBase + 400 * kMiB, .bytes = 4 * kMiB, .allocNs = 15});
    const tests::GuiCapture capture(builder);
    const Cancel cancel;
    const OwnerChart chart = ownersAround(capture.sources(), 1, 100, cancel);
    ASSERT_EQ(chart.boxes.size(), 3U);
    EXPECT_EQ(chart.boxes[0].row, 0U);
    EXPECT_EQ(chart.boxes[1].row, 2U);
    EXPECT_EQ(chart.boxes[2].life, (TimeRange{30, 100}));
    EXPECT_EQ(chart.fromAddress, static_cast<std::uint64_t>(kBase));
    EXPECT_EQ(chart.leftOut, 0);
}

}  // namespace
}  // namespace vramscope::gui
