// SPDX-License-Identifier: Apache-2.0
#include "formats/argument_set.h"

#include <gtest/gtest.h>

#include "tests/formats/training_step.h"

namespace vramscope::formats {
namespace {

std::vector<LaunchArgument> roundTrip(const std::vector<LaunchArgument>& arguments) {
    std::vector<std::byte> packed;
    packArguments(arguments, packed);
    std::vector<LaunchArgument> out;
    EXPECT_TRUE(unpackArguments(packed, out).isOk());
    return out;
}

TEST(ArgumentSet, RoundTrip) {
    const std::vector<LaunchArgument> arguments = {{0, 17, 0},
                                                   {8, 3, 512},
                                                   {16, 0, 0x7F12'3456'7891},
                                                   {24, 9'000'000'000, 5},
                                                   {32'760, 17, (1ULL << 62) + 1}};
    EXPECT_EQ(roundTrip(arguments), arguments);
    EXPECT_TRUE(roundTrip({}).empty());
}

TEST(ArgumentSet, RandomSetsRoundTrip) {
    TrainingLoop loop(3);
    for (int i = 0; i < 1000; ++i) {
        const auto arguments = loop.argumentSet();
        ASSERT_EQ(roundTrip(arguments), arguments);
    }
}

TEST(ArgumentSet, FourPooledPointersFitInSixBytesEach) {
    TrainingLoop loop(5);
    std::vector<std::byte> packed;
    std::size_t bytes = 0;
    std::size_t pointers = 0;
    for (int i = 0; i < 1000; ++i) {
        const auto arguments = loop.argumentSet();
        packArguments(arguments, packed);
        bytes += packed.size();
        pointers += arguments.size();
    }
    EXPECT_LE(static_cast<double>(bytes) / static_cast<double>(pointers), 6.0);
}

TEST(ArgumentSet, CutOrLongerBytesAreRefused) {
    std::vector<std::byte> packed;
    packArguments(std::vector<LaunchArgument>{{0, 1, 2}, {8, 200, 3000}}, packed);
    std::vector<LaunchArgument> out;
    for (std::size_t size = 0; size < packed.size(); ++size)
        EXPECT_EQ(unpackArguments(std::span(packed).first(size), out).kind(), ErrorKind::Unreadable) << size;
    packed.push_back(std::byte{0});
    EXPECT_FALSE(unpackArguments(packed, out).isOk());
}

TEST(ArgumentSet, HugeCountReservesNothing) {
    const std::vector<std::byte> packed = {std::byte{0x80}, std::byte{0x40}, std::byte{0}};  // claims 8192
    std::vector<LaunchArgument> out;
    EXPECT_FALSE(unpackArguments(packed, out).isOk());
    EXPECT_EQ(out.capacity(), 0U);
}

}  // namespace
}  // namespace vramscope::formats
