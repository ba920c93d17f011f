// SPDX-License-Identifier: Apache-2.0
#include "formats/argument_set.h"

#include <gtest/gtest.h>

#include "tests/formats/format1_arguments.h"
#include "tests/formats/training_step.h"

namespace vramscope::formats {
namespace {

std::vector<LaunchArgument> roundTrip(const std::vector<LaunchArgument>& arguments) {
    std::vector<LaunchArgument> out;
    EXPECT_TRUE(unpackArguments(packAsFormat1(arguments), out).isOk());
    return out;
}

TEST(ArgumentSet, SetsOfFormat1AreRead) {
    const std::vector<LaunchArgument> arguments = {{0, 17, 0},
                                                   {8, 3, 512},
                                                   {16, 0, 0x7F12'3456'7891},
                                                   {24, 9'000'000'000, 5},
                                                   {32'760, 17, (1ULL << 62) + 1}};
    EXPECT_EQ(roundTrip(arguments), arguments);
    EXPECT_TRUE(roundTrip({}).empty());
    TrainingLoop loop(3);
    for (int i = 0; i < 1000; ++i) {
        const auto random = loop.argumentSet();
        ASSERT_EQ(roundTrip(random), random);
    }
}

TEST(ArgumentSet, LayoutOfFormat1IsTheDocumentedOne) {
    // Captures of this form exist: two arguments, (16, buffer 7, 512) and (24, buffer 5, 3).
    const std::vector<std::byte> packed = {std::byte{2}, std::byte{16}, std::byte{14}, std::byte{3},
                                           std::byte{8}, std::byte{3},  std::byte{6}};
    std::vector<LaunchArgument> out;
    ASSERT_TRUE(unpackArguments(packed, out).isOk());
    EXPECT_EQ(out, (std::vector<LaunchArgument>{{16, 7, 512}, {24, 5, 3}}));
}

TEST(ArgumentSet, CutOrLongerBytesAreRefused) {
    auto packed = packAsFormat1(std::vector<LaunchArgument>{{0, 1, 2}, {8, 200, 3000}});
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
