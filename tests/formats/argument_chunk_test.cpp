// SPDX-License-Identifier: Apache-2.0
#include "formats/argument_chunk.h"

#include <gtest/gtest.h>
#include <random>

#include "tests/formats/training_step.h"

namespace vramscope::formats {
namespace {

using Sets = std::vector<std::vector<LaunchArgument>>;

std::vector<std::byte> encode(const Sets& sets) {
    ArgumentChunkEncoder encoder;
    for (const auto& set : sets)
        encoder.add(set);
    const auto bytes = encoder.encode();
    return {bytes.begin(), bytes.end()};
}

void expectRoundTrip(const Sets& sets) {
    ZstdDecompressor decompressor;
    const auto chunk = decodeArgumentChunk(encode(sets), decompressor);
    ASSERT_TRUE(chunk.isOk()) << chunk.status().message();
    ASSERT_EQ(chunk->setCount(), sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const auto set = chunk->set(i);
        ASSERT_EQ(std::vector<LaunchArgument>(set.begin(), set.end()), sets[i]) << i;
    }
}

TEST(ArgumentChunk, RoundTrip) {
    expectRoundTrip({{{0, 17, 0}}});
    expectRoundTrip({{{0, 17, 0}, {8, 3, 512}, {16, 0, 0x7F12'3456'7891}},
                     {{24, 9'000'000'000, 5}, {32'760, 17, (1ULL << 62) + 1}},
                     {{0, 17, 0}, {8, -3, 512}},
                     {{24, 1, 0}, {32'760, 2, 0}}});
    TrainingLoop loop(3);
    Sets sets(kGoodArgumentChunkSets);
    for (auto& set : sets)
        set = loop.argumentSet();
    expectRoundTrip(sets);
}

TEST(ArgumentChunk, LargestSetsAndManyShapesRoundTrip) {
    Sets sets;
    std::mt19937 random(9);
    for (int i = 0; i < 3; ++i) {
        auto& set = sets.emplace_back();
        for (std::uint32_t k = 0; k < kMaxLaunchArguments; ++k)
            set.push_back({4 * k, static_cast<std::int64_t>(random() % 100), random() % 100'000});
    }
    for (std::uint32_t i = 0; i < 3000; ++i)
        sets.push_back({{i, 1, 2}, {i + 8 + static_cast<std::uint32_t>(random() % 9), 3, 4}});
    expectRoundTrip(sets);
}

TEST(ArgumentChunk, ClearedEncoderBeginsAnew) {
    ArgumentChunkEncoder encoder;
    encoder.add(std::vector<LaunchArgument>{{0, 1, 2}});
    static_cast<void>(encoder.encode());
    encoder.clear();
    EXPECT_EQ(encoder.setCount(), 0U);
    const std::vector<LaunchArgument> second = {{8, 5, 6}, {16, 7, 8}};
    encoder.add(second);
    const auto bytes = encoder.encode();
    EXPECT_EQ(std::vector(bytes.begin(), bytes.end()), encode({second}));
}

TEST(ArgumentChunk, FourRandomPointersTakeLittleMoreThanTheirBits) {
    // 28 bits each: 14 bytes for four.
    std::mt19937_64 random(6);
    Sets sets(kGoodArgumentChunkSets);
    for (auto& set : sets) {
        for (std::uint32_t i = 0; i < 4; ++i)
            set.push_back({8 * i, 0, 0x7F00'0000'0000 + 512 * (random() % (1U << 28))});
    }
    EXPECT_LE(static_cast<double>(encode(sets).size()) / static_cast<double>(sets.size()), 14.5);
    expectRoundTrip(sets);
}

TEST(ArgumentChunk, LayoutIsTheDocumentedOne) {
    // Written by hand from the layout in argument_chunk.h.
    const std::vector<std::uint8_t> layout = {
        1, 2, 2, 3, 3,        // version, sets, shapes, places, pointers
        0, 1, 1, 1, 2,        // places of each shape: Plain, one plane, stored: 1 and 2
        0, 0, 8,              // parameter offsets: 8; 8 and 16
        3, 0, 0, 0,           // shapes: Counter from 0: 0, 1
        1, 7, 1, 1, 0, 2, 1,  // buffers: Difference from 7: 7, 8, 7
        0, 1, 1, 1, 3, 6};    // offsets: 0, 512, 3
    ZstdDecompressor decompressor;
    const auto chunk = decodeArgumentChunk(std::as_bytes(std::span(layout)), decompressor);
    ASSERT_TRUE(chunk.isOk()) << chunk.status().message();
    ASSERT_EQ(chunk->setCount(), 2U);
    EXPECT_EQ(chunk->set(0)[0], (LaunchArgument{8, 7, 0}));
    EXPECT_EQ(chunk->set(1)[0], (LaunchArgument{8, 8, 512}));
    EXPECT_EQ(chunk->set(1)[1], (LaunchArgument{16, 7, 3}));
    auto newer = layout;
    newer[0] = 2;
    const auto refused = decodeArgumentChunk(std::as_bytes(std::span(newer)), decompressor);
    ASSERT_FALSE(refused.isOk());
    EXPECT_NE(refused.status().message().find("newer"), std::string::npos);
}

}  // namespace
}  // namespace vramscope::formats
