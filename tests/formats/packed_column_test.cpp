// SPDX-License-Identifier: Apache-2.0
#include "formats/packed_column.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace vramscope::formats {
namespace {

using Put = void (ColumnPacker::*)(std::span<const std::uint64_t>, std::vector<std::byte>&);

std::vector<std::byte> pack(Put put, const ColumnValues& values) {
    ColumnPacker packer;
    std::vector<std::byte> bytes;
    (packer.*put)(values, bytes);
    return bytes;
}

ColumnValues unpack(const std::vector<std::byte>& bytes, std::size_t count) {
    ByteReader reader(bytes);
    const auto column = PackedColumn::parse(reader, count);
    EXPECT_TRUE(column && reader.left() == 0);
    ZstdDecompressor decompressor;
    ColumnValues values;
    EXPECT_TRUE(column && column->unpack(decompressor, values));
    return values;
}

constexpr Put kPuts[] = {&ColumnPacker::putPlain, &ColumnPacker::putDifferences, &ColumnPacker::putSmaller,
                         &ColumnPacker::putCounter};

TEST(PackedColumn, AnyValuesRoundTrip) {
    std::mt19937_64 random(3);
    for (const std::size_t count : {1U, 2U, 17U, 5000U}) {
        for (int bits = 0; bits <= 64; bits += 8) {
            ColumnValues values(count);
            for (std::uint64_t& value : values)
                value = bits == 0 ? 7 : random() >> (64 - bits);
            for (const Put put : kPuts)
                ASSERT_EQ(unpack(pack(put, values), count), values)
                    << count << " values of " << bits << " bits";
        }
    }
    const ColumnValues extremes = {0, std::numeric_limits<std::uint64_t>::max(), 1ULL << 63, 0,
                                   (1ULL << 63) - 1};
    for (const Put put : kPuts)
        EXPECT_EQ(unpack(pack(put, extremes), extremes.size()), extremes);
}

TEST(PackedColumn, CounterMakesFreshNumbersFree) {
    // Half of them are given out in order, with gaps, and every other one is of a few that come back.
    ColumnValues values;
    for (std::uint64_t i = 0; i < 10'000; ++i)
        values.push_back(i % 2 == 0 ? 1000 + i / 2 + (i > 5000 ? 10 : 0) : 990 + i % 10);
    const auto bytes = pack(&ColumnPacker::putCounter, values);
    EXPECT_LT(bytes.size(), 200U);
    EXPECT_GT(pack(&ColumnPacker::putPlain, values).size(), 4 * bytes.size());
    EXPECT_EQ(unpack(bytes, values.size()), values);
}

TEST(PackedColumn, SmallerTakesTheSmaller) {
    ColumnValues rising(10'000);
    for (std::size_t i = 0; i < rising.size(); ++i)
        rising[i] = 1'000'000 + 7 * i;
    EXPECT_EQ(pack(&ColumnPacker::putSmaller, rising), pack(&ColumnPacker::putDifferences, rising));
    std::mt19937 random(4);
    for (std::uint64_t& value : rising)
        value = random() % 65'536;
    EXPECT_EQ(pack(&ColumnPacker::putSmaller, rising), pack(&ColumnPacker::putPlain, rising));
}

TEST(PackedColumn, UnknownTransformsAndWidthsAreRefused) {
    const auto refused = [](std::vector<std::uint8_t> bytes) {
        ByteReader reader(std::as_bytes(std::span(bytes)));
        return !PackedColumn::parse(reader, 2);
    };
    EXPECT_FALSE(refused({0, 0, 9}));
    EXPECT_TRUE(refused({4, 0, 9}));
    EXPECT_TRUE(refused({0, 9, 0, 0}));
    EXPECT_TRUE(refused({0, 1, 3, 0}));
    EXPECT_TRUE(refused({0, 1, 1, 0}));
}

}  // namespace
}  // namespace vramscope::formats
