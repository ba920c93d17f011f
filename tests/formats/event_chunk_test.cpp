// SPDX-License-Identifier: Apache-2.0
#include "formats/event_chunk.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "tests/formats/training_step.h"

namespace vramscope::formats {
namespace {

template <typename Event>
std::vector<std::byte> encode(const std::vector<Event>& events, const ChunkNames& names = {""}) {
    ChunkEncoder encoder;
    const auto bytes = encoder.encode(std::span<const Event>(events), names);
    return {bytes.begin(), bytes.end()};
}

template <typename Event>
void expectRoundTrip(const std::vector<Event>& events, const ChunkNames& names = {""}) {
    const auto bytes = encode(events, names);
    ZstdDecompressor decompressor;
    const auto chunk = decodeChunk<Event>(bytes, decompressor);
    ASSERT_TRUE(chunk.isOk()) << chunk.status().message();
    EXPECT_EQ(chunk->names, names);
    ASSERT_EQ(chunk->events.size(), events.size());
    for (std::size_t i = 0; i < events.size(); ++i)
        ASSERT_EQ(chunk->events[i], events[i]) << "event " << i;
}

/// Every field of every event gets a random value of its full range.
template <typename Event>
std::vector<Event> randomEvents(std::size_t count) {
    std::mt19937_64 random(7);
    std::vector<Event> events(count);
    for (Event& event : events) {
        for (const auto& field : EventTraits<Event>::fields())
            field.set(event, random() >> (random() % 64));
    }
    return events;
}

template <typename Event>
class AnyEvent : public testing::Test {};
using AllEvents = testing::Types<LaunchEvent, CopyEvent, SetEvent, SyncEvent>;
TYPED_TEST_SUITE(AnyEvent, AllEvents);

TYPED_TEST(AnyEvent, RandomValuesRoundTrip) {
    for (const std::size_t count : {1U, 2U, 100U, 5000U})
        expectRoundTrip(randomEvents<TypeParam>(count), {"", "cuMemcpyAsync", "cuMemsetD8_v2"});
}

TYPED_TEST(AnyEvent, LargestChunkRoundTrips) {
    expectRoundTrip(std::vector<TypeParam>(kMaxChunkEvents));
}

TYPED_TEST(AnyEvent, EveryFieldIsStored) {
    // A field that shares another's storage, or is left out of the column list, would not survive on its own.
    for (const auto& field : EventTraits<TypeParam>::fields()) {
        std::vector<TypeParam> events(3);
        field.set(events[1], 1);
        ASSERT_NE(events[0], events[1]);
        expectRoundTrip(events);
    }
    EXPECT_EQ(EventTraits<TypeParam>::fields().size(), eventColumns(EventTraits<TypeParam>::kKind).size());
}

TEST(EventChunk, ExtremesRoundTrip) {
    std::vector<LaunchEvent> events(4);
    events[0].enterNs = std::numeric_limits<std::int64_t>::max();
    events[0].exitNs = std::numeric_limits<std::int64_t>::min();
    events[1].enterNs = std::numeric_limits<std::int64_t>::min();
    events[2].argumentSetId = std::numeric_limits<std::int64_t>::max();
    events[3].gridX = std::numeric_limits<std::uint32_t>::max();
    expectRoundTrip(events);
}

TEST(EventChunk, TrainingStepTakesAtMostFourBytesALaunch) {
    TrainingLoop loop;
    const auto events = loop.launches(kGoodChunkEvents);
    const auto bytes = encode(events);
    EXPECT_LE(static_cast<double>(bytes.size()) / static_cast<double>(events.size()), 4.0);
    expectRoundTrip(events);
}

TEST(EventChunk, SitesInAnyOrderAreStoredOnce) {
    // Sixty-four call sites in random order: six bits each, whatever number of columns tells them apart.
    std::mt19937 random(5);
    std::vector<LaunchEvent> events(kGoodChunkEvents);
    for (LaunchEvent& event : events) {
        const std::uint32_t site = random() % 64;
        event.kernelId = 1000 + site;
        event.streamId = 1 + site % 4;
        event.gridX = 17 * site;
        event.blockX = 32 << site % 6;
        event.stackId = 100'000 + 3 * site;
    }
    const auto bytes = encode(events);
    EXPECT_LE(static_cast<double>(bytes.size()) / static_cast<double>(events.size()), 0.85);
    expectRoundTrip(events);
}

TEST(EventChunk, SitesThatNeverRepeatRoundTrip) {
    std::vector<LaunchEvent> events(kGoodChunkEvents);
    for (std::size_t i = 0; i < events.size(); ++i)
        events[i].gridX = static_cast<std::uint32_t>(i * i);
    expectRoundTrip(events);
}

TEST(EventChunk, ColumnsThatAreNotInTheChunkReadAsZero) {
    // As written by a version that knew only the two times: version 1, one event, no names, two columns.
    const std::vector<std::byte> bytes = {std::byte{1}, std::byte{1}, std::byte{0},    std::byte{2},
                                          std::byte{0}, std::byte{0}, std::byte{0x2A}, std::byte{2},
                                          std::byte{0}, std::byte{4}};
    ZstdDecompressor decompressor;
    const auto chunk = decodeChunk<LaunchEvent>(bytes, decompressor);
    ASSERT_TRUE(chunk.isOk()) << chunk.status().message();
    EXPECT_EQ(chunk->events[0].enterNs, 42);
    EXPECT_EQ(chunk->events[0].exitNs, 44);
    EXPECT_EQ(chunk->events[0].kernelId, 0);
}

TEST(EventChunk, LayoutIsTheDocumentedOne) {
    // Written by hand from the layout in event_chunk.h.
    const std::vector<std::uint8_t> layout = {
        2,    3,   2,  1, 0, 4,      // version, events, sites, names "", columns
        3,    0,   1,  1, 0, 0,  1,  // sites: Counter from 0, one plane, stored: 0, 0 (which is 1), 0
        1,    100, 1,  1, 0, 14, 0,  // enter_ns: Difference from 100, stored 0, 7, 0
        2,    0,   10,               // exit_ns: SinceEnter, 5 for all
        0x80, 0,   3,                // process_id: for each site, 3 for all
        0x80, 1,   1,  8, 9};        // thread_id: for each site, 8 and 9
    const auto bytes = std::as_bytes(std::span(layout));
    ZstdDecompressor decompressor;
    const auto chunk = decodeChunk<LaunchEvent>(bytes, decompressor);
    ASSERT_TRUE(chunk.isOk()) << chunk.status().message();
    ASSERT_EQ(chunk->events.size(), 3U);
    EXPECT_EQ(chunk->events[1].enterNs, 107);
    EXPECT_EQ(chunk->events[2].exitNs, 112);
    EXPECT_EQ(chunk->events[2].processId, 3);
    EXPECT_EQ(chunk->events[0].threadId, 8);
    EXPECT_EQ(chunk->events[1].threadId, 9);
    EXPECT_EQ(chunk->events[2].threadId, 8);
    EXPECT_EQ(chunk->events[2].kernelId, 0);
}

TEST(EventChunk, SharedBytesOfVersion1AreSkipped) {
    std::vector<std::uint8_t> layout = {1, 1, 0, 16};
    for (std::uint8_t column = 0; column < 16; ++column) {
        for (const std::uint8_t byte :
             {std::uint8_t{0}, std::uint8_t{0}, static_cast<std::uint8_t>(column + 1)})
            layout.push_back(byte);
    }
    ZstdDecompressor decompressor;
    const auto chunk = decodeChunk<LaunchEvent>(std::as_bytes(std::span(layout)), decompressor);
    ASSERT_TRUE(chunk.isOk()) << chunk.status().message();
    EXPECT_EQ(chunk->events[0].blockZ, 12U);
    EXPECT_EQ(chunk->events[0].argumentSetId, 14);
    EXPECT_EQ(chunk->events[0].stackId, 15);
    EXPECT_EQ(chunk->events[0].result, 16U);
    layout[0] = 2;
    EXPECT_FALSE(ChunkReader::open(EventKind::Launches, std::as_bytes(std::span(layout))).isOk());
}

TEST(EventChunk, LayoutOfVersion1StaysReadable) {
    // Written by hand; captures of this form exist.
    const std::vector<std::uint8_t> layout = {
        1, 2,   2,  0, 1, 'x', 5,  // version, events, names "" and "x", columns
        1, 100, 1,  1, 0, 14,      // enter_ns: Difference from 100, stored 0 and 7
        2, 0,   10,                // exit_ns: SinceEnter, 5 for all
        0, 1,   0,  3,             // process_id: Plain, one plane of 3
        0, 2,   0,  1, 1, 2,   4,  // thread_id: Plain, 0x0201 and 0x0401
        0, 0,   1};                // api: 1 for all
    const auto bytes = std::as_bytes(std::span(layout));
    ZstdDecompressor decompressor;
    const auto chunk = decodeChunk<CopyEvent>(bytes, decompressor);
    ASSERT_TRUE(chunk.isOk()) << chunk.status().message();
    ASSERT_EQ(chunk->events.size(), 2U);
    const CopyEvent& last = chunk->events[1];
    EXPECT_EQ(chunk->events[0].enterNs, 100);
    EXPECT_EQ(last.enterNs, 107);
    EXPECT_EQ(last.exitNs, 112);
    EXPECT_EQ(last.processId, 3);
    EXPECT_EQ(chunk->events[0].threadId, 0x0201);
    EXPECT_EQ(last.threadId, 0x0401);
    EXPECT_EQ(chunk->names[last.api], "x");
    EXPECT_EQ(last.bytes, 0U);
}

TEST(EventChunk, NewerChunkSaysSo) {
    auto bytes = encode(std::vector<LaunchEvent>(3));
    bytes[0] = std::byte{3};
    const auto chunk = ChunkReader::open(EventKind::Launches, bytes);
    ASSERT_FALSE(chunk.isOk());
    EXPECT_NE(chunk.status().message().find("newer"), std::string::npos);
}

TEST(EventChunk, CutChunkIsRefusedAtEveryLength) {
    TrainingLoop loop;
    const auto bytes = encode(loop.launches(300));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        ASSERT_FALSE(ChunkReader::open(EventKind::Launches, std::span(bytes).first(size)).isOk()) << size;
}

}  // namespace
}  // namespace vramscope::formats
