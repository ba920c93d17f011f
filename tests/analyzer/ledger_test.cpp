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
    EXPECT_EQ(l.tracked.live, 1030 * kMiB + 1);
    EXPECT_EQ(l.tracked.poolUnused, 34 * kMiB);
    EXPECT_EQ(l.tracked.rounding, 2 * kMiB - 1);
    EXPECT_EQ(l.tracked.ours, 14 * kMiB);
    EXPECT_EQ(l.cost.contextBytes, 526 * kMiB);
    EXPECT_EQ(l.tracked.total() + l.cost.total() + l.notAccountedBytes, l.reportedBytes);
    EXPECT_EQ(l.othersBytes, 300 * kMiB);
}

TEST(Ledger, WithoutAProcessListItSpeaksOfTheWholeDevice) {
    tests::CaptureBuilder builder;
    builder.memorySample(300, 2000 * kMiB, std::nullopt, std::nullopt);
    const auto ledgers = ledgersAtPeak(*builder.load());
    ASSERT_EQ(ledgers.size(), 1U);
    EXPECT_TRUE(ledgers[0].isWholeDevice);
}

TEST(Ledger, APoolThatKeepsMemoryHasKeptItSinceItsLastReading) {
    tests::CaptureBuilder builder;
    const std::int64_t pool = builder.pool(true, -1);
    builder.allocate({.kind = "async", .bytes = 64 * kMiB, .allocNs = 110, .freeNs = 150, .pool = pool});
    builder.allocate({.bytes = 10 * kMiB, .allocNs = 160});
    builder.memorySample(300, 374 * kMiB, 374 * kMiB, 0);
    const auto ledgers = ledgersAtPeak(*builder.load());
    ASSERT_EQ(ledgers.size(), 1U);
    EXPECT_EQ(ledgers[0].tracked.poolUnused, 64 * kMiB);
    EXPECT_EQ(ledgers[0].cost.contextBytes, 300 * kMiB);
}

TEST(Ledger, ASampleThatLacksAProcessIsNotTaken) {
    tests::CaptureBuilder builder;
    builder.memorySample(100, 300 * kMiB, 300 * kMiB, 0);
    builder.allocate({.bytes = 60 * kMiB, .allocNs = 150});
    builder.memorySample(200, 330 * kMiB, 330 * kMiB, 0);
    builder.allocate({.bytes = 60 * kMiB, .allocNs = 250});
    builder.memorySample(300, 0, 0, 0);  // its process is gone, the recorder does not know yet
    const auto ledgers = ledgersAtPeak(*builder.load());
    ASSERT_EQ(ledgers.size(), 1U);
    EXPECT_EQ(ledgers[0].timeNs, 200);
}

/// Two processes; each has a context of 500 MiB when it is made.
class TwoProcesses : public testing::Test {
protected:
    TwoProcesses() {
        m_builder.process(2);
        m_builder.exec("UPDATE contexts SET start_ns = 100");
    }
    void secondContextAt(std::int64_t startNs) {
        m_builder.exec(
            "INSERT INTO contexts(context_id, process_id, context_uid, handle, device_id, is_primary, "
            "start_ns, collector_bytes) VALUES (2, 2, 2, 2, 1, 1, " +
            std::to_string(startNs) + ", 0)");
    }
    /// What the driver reports at a moment, in MiB.
    void sample(std::int64_t timeNs, std::int64_t first, std::int64_t second) {
        m_builder.memorySample(timeNs, (first + second) * kMiB, (first + second) * kMiB, 0);
        for (const auto& [process, mib] : {std::pair{1, first}, std::pair{2, second}}) {
            if (mib == 0) continue;
            m_builder.exec("INSERT INTO process_memory_samples VALUES (" + std::to_string(timeNs) + ", 1, " +
                           std::to_string(process) + ", " + std::to_string(mib * kMiB) + ")");
        }
    }
    Ledger ledger() {
        const auto ledgers = ledgersAtPeak(*m_builder.load());
        EXPECT_EQ(ledgers.size(), 1U);
        return ledgers.at(0);
    }

    tests::CaptureBuilder m_builder;
};

TEST_F(TwoProcesses, WhatIsReservedForGraphsAndNotInUseIsExplained) {
    sample(200, 500, 0);
    m_builder.allocate({.kind = "graph", .bytes = 8 * kMiB, .allocNs = 300});
    m_builder.exec(
        "INSERT INTO graph_memory_samples(time_ns, process_id, device_id, reserved_bytes, used_bytes) "
        "VALUES(400, 1, 1, 33554432, 33554432)");
    sample(500, 532, 0);
    const Ledger l = ledger();
    EXPECT_EQ(l.tracked.live, 8 * kMiB);
    EXPECT_EQ(l.tracked.poolUnused, 24 * kMiB);
    EXPECT_EQ(l.notAccountedBytes, 0);
}

TEST_F(TwoProcesses, EachHasAContextOfItsOwn) {
    secondContextAt(300);
    sample(200, 500, 0);
    sample(400, 500, 500);
    m_builder.allocate({.bytes = 100 * kMiB, .allocNs = 450});
    sample(500, 600, 500);
    const Ledger l = ledger();
    EXPECT_EQ(l.timeNs, 500);
    EXPECT_EQ(l.cost.contextBytes, 1000 * kMiB);
    EXPECT_EQ(l.notAccountedBytes, 0);
}

TEST_F(TwoProcesses, OneThatIsJustStartingIsATermOfItsOwn) {
    secondContextAt(600);
    sample(200, 500, 0);
    m_builder.allocate({.bytes = 100 * kMiB, .allocNs = 450});
    sample(500, 600, 480);
    const Ledger l = ledger();
    EXPECT_EQ(l.cost.contextBytes, 500 * kMiB);
    EXPECT_EQ(l.cost.startingBytes, 480 * kMiB);
    EXPECT_EQ(l.notAccountedBytes, 0);
}

TEST_F(TwoProcesses, OneThatIsGoneHoldsNothing) {
    secondContextAt(300);
    m_builder.exec("UPDATE processes SET end_ns = 450 WHERE process_id = 2");
    sample(200, 500, 0);
    sample(400, 500, 500);
    m_builder.allocate({.bytes = 100 * kMiB, .allocNs = 460});
    sample(500, 600, 0);
    const Ledger l = ledger();
    EXPECT_EQ(l.cost.contextBytes, 500 * kMiB);
    EXPECT_EQ(l.notAccountedBytes, 0);
}

TEST_F(TwoProcesses, CodeThatIsLoadedWithoutALaunchIsCodeToo) {
    sample(200, 500, 0);
    m_builder.exec("INSERT INTO gpu_modules(process_id, cupti_module_id, load_ns) VALUES(1, 7, 250)");
    sample(300, 590, 0);
    sample(400, 630, 0);  // nothing was loaded
    m_builder.allocate({.bytes = 100 * kMiB, .allocNs = 450});
    sample(500, 730, 0);
    EXPECT_EQ(ledger().cost.laterBytes, 90 * kMiB);
}

TEST_F(TwoProcesses, CodeThatKernelsBringAlongIsToldFromWhatNothingExplains) {
    sample(200, 500, 0);
    m_builder.launch(250);
    sample(300, 590, 0);
    sample(400, 630, 0);  // nothing was launched for the first time
    m_builder.allocate({.bytes = 100 * kMiB, .allocNs = 450});
    sample(500, 730, 0);
    const Ledger l = ledger();
    EXPECT_EQ(l.cost.contextBytes, 500 * kMiB);
    EXPECT_EQ(l.cost.laterBytes, 90 * kMiB);
    EXPECT_EQ(l.notAccountedBytes, 40 * kMiB);
}

}  // namespace
}  // namespace vramscope::model
