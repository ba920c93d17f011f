// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/ledger.h"

#include <gtest/gtest.h>

#include "tests/support/capture_builder.h"

namespace vramscope::model {
namespace {

TEST(Ledger, ThePartsAddUpToWhatTheDriverReports) {
    tests::CaptureBuilder builder;
    builder.exec("UPDATE contexts SET collector_bytes = 14 * 1048576");
    builder.memorySample(100, 540 * kMiB, 540 * kMiB, 0);
    builder.allocate({.bytes = 1000 * kMiB + 1, .allocNs = 200});
    const std::int64_t pool = builder.pool(true, -1);
    builder.allocate({.kind = "async", .bytes = 30 * kMiB, .allocNs = 200, .pool = pool});
    builder.poolSample(250, pool, 64 * kMiB, 30 * kMiB);
    builder.memorySample(300, 2000 * kMiB, 1700 * kMiB, 300 * kMiB);
    const auto ledgers = ledgersAtPeak(*builder.load());
    ASSERT_EQ(ledgers.size(), 1U);
    const Ledger& l = ledgers[0];
    EXPECT_EQ(l.timeNs, 300);
    EXPECT_EQ(l.reportedBytes, 1700 * kMiB);
    EXPECT_EQ(l.liveBytes, 1030 * kMiB + 1);
    EXPECT_EQ(l.poolUnusedBytes, 34 * kMiB);
    EXPECT_EQ(l.roundingBytes, 2 * kMiB - 1);
    EXPECT_EQ(l.oursBytes, 14 * kMiB);
    EXPECT_EQ(l.contextBytes, 526 * kMiB);
    EXPECT_EQ(l.liveBytes + l.poolUnusedBytes + l.roundingBytes + l.oursBytes + l.contextBytes +
                  l.notAccountedBytes,
              l.reportedBytes);
    EXPECT_EQ(l.othersBytes, 300 * kMiB);
}

TEST(Ledger, WithoutAProcessListItSpeaksOfTheWholeDevice) {
    tests::CaptureBuilder builder;
    builder.memorySample(300, 2000 * kMiB, std::nullopt, std::nullopt);
    const auto ledgers = ledgersAtPeak(*builder.load());
    ASSERT_EQ(ledgers.size(), 1U);
    EXPECT_TRUE(ledgers[0].isWholeDevice);
}

}  // namespace
}  // namespace vramscope::model
