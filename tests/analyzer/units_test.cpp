// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/units.h"

#include <gtest/gtest.h>
#include <limits>

#include "analyzer/model/amounts.h"

namespace vramscope::model {
namespace {

TEST(Units, BytesInTheUnitPeopleUse) {
    EXPECT_EQ(bytesText(0), "0 bytes");
    EXPECT_EQ(bytesText(1), "1 byte");
    EXPECT_EQ(bytesText(1023), "1,023 bytes");
    EXPECT_EQ(bytesText(kMiB), "1.0 MiB");
    EXPECT_EQ(bytesText(kGiB - 1), "1.0 GiB");
    EXPECT_EQ(bytesText(-3 * kGiB / 2), "-1.5 GiB");
    EXPECT_EQ(bytesText(std::numeric_limits<std::int64_t>::min()), "-8388608.0 TiB");
}

TEST(Units, CountsWithCommas) {
    EXPECT_EQ(countText(999), "999");
    EXPECT_EQ(countText(-1234567), "-1,234,567");
    EXPECT_EQ(countOf(1, "process", "processes"), "1 process");
    EXPECT_EQ(countOf(0, "buffer"), "0 buffers");
}

TEST(Units, LengthsAndMoments) {
    EXPECT_EQ(durationText(3'200'000), "3.2 ms");
    EXPECT_EQ(durationText(41'300'000'000), "41.3 s");
    EXPECT_EQ(durationText(725 * kNsPerSecond), "12 min 5 s");
    EXPECT_EQ(momentText(39'800'000'000), "39.8 s");
    EXPECT_EQ(momentText(200'000'000), "0.200 s");
}

}  // namespace
}  // namespace vramscope::model
