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

TEST(EventChunk, TrainingStepTakesAtMostEightBytesALaunch) {
    TrainingLoop loop;
    const auto events = loop.launches(kGoodChunkEvents);
    const auto bytes = encode(events);
    EXPECT_LE(static_cast<double>(bytes.size()) / static_cast<double>(events.size()), 8.0);
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
    // Written by hand from the layout in event_chunk.h; captures of this form exist, so it must stay
    // readable.
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
    bytes[0] = std::byte{2};
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
