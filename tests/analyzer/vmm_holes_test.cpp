// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/vmm_holes.h"

#include <gtest/gtest.h>

#include "tests/support/capture_builder.h"

namespace vramscope::model {
namespace {

constexpr std::int64_t kReservation = 0x7f8000000000;

void reserve(tests::CaptureBuilder& builder, std::int64_t bytes) {
    builder.exec("INSERT INTO vmm_reservations VALUES (1, 1, " + std::to_string(kReservation) + ", " +
                 std::to_string(bytes) + ", 1, NULL, NULL)");
}

void map(tests::CaptureBuilder& builder, std::int64_t offset, std::int64_t bytes,
         std::optional<std::int64_t> unmapNs = {}) {
    builder.allocate(
        {.kind = "vmm", .address = kReservation + offset, .bytes = bytes, .allocNs = 10, .freeNs = unmapNs});
}

TEST(VmmHoles, LieBetweenMappingsAndNotBehindThem) {
    tests::CaptureBuilder builder;
    reserve(builder, 1 * kGiB);
    map(builder, 0, 20 * kMiB);
    map(builder, 20 * kMiB, 20 * kMiB, 100);
    map(builder, 40 * kMiB, 2 * kMiB);
    map(builder, 42 * kMiB, 8 * kMiB, 100);
    map(builder, 50 * kMiB, 6 * kMiB);
    const auto capture = builder.load();
    EXPECT_TRUE(reservationsWithHolesAt(*capture, 50).empty()) << "all of it is mapped then";
    const auto uses = reservationsWithHolesAt(*capture, 200);
    ASSERT_EQ(uses.size(), 1U);
    EXPECT_EQ(uses[0].mappedBytes, 28 * kMiB);
    EXPECT_EQ(uses[0].holeBytes, 28 * kMiB);
    EXPECT_EQ(uses[0].holeCount, 2);
    EXPECT_EQ(uses[0].largestHoleBytes, 20 * kMiB);
    ASSERT_EQ(uses[0].pinning.size(), 2U);
    EXPECT_EQ(uses[0].pinning[0]->address, kReservation);
    EXPECT_EQ(uses[0].pinning[1]->address, kReservation + 40 * kMiB);
}

TEST(VmmHoles, ARangeThatIsEmptyOrGoneHasNone) {
    tests::CaptureBuilder builder;
    reserve(builder, 64 * kMiB);
    map(builder, 0, 2 * kMiB, 100);
    map(builder, 8 * kMiB, 2 * kMiB, 100);
    builder.exec("UPDATE vmm_reservations SET end_ns = 300");
    const auto capture = builder.load();
    EXPECT_EQ(reservationsWithHolesAt(*capture, 50).size(), 1U);
    EXPECT_TRUE(reservationsWithHolesAt(*capture, 200).empty()) << "nothing is mapped then";
    EXPECT_TRUE(reservationsWithHolesAt(*capture, 400).empty()) << "the range is gone then";
}

}  // namespace
}  // namespace vramscope::model
