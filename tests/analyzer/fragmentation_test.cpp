// SPDX-License-Identifier: Apache-2.0
// fit.fragmentation, and the arithmetic of holes behind it.
#include <gtest/gtest.h>

#include "analyzer/model/heap_holes.h"
#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::Finding;
using detectors::FindingClass;

constexpr std::int64_t kHeapAddress = 0x7f1000000000;

/// A heap of 16 units of 1 MiB, there from 2 ms on; thread 1 works for "user".
class FragmentationTest : public testing::Test {
protected:
    FragmentationTest() : m_user(m_builder.task("user")), m_index(m_builder.task("index")) {
        m_builder.taskSpan(m_user, 1, 0, 9'000 * kMs);
        m_buffer = m_builder.allocate({.address = kHeapAddress, .bytes = 16 * kMiB, .allocNs = kMs});
        m_builder.piece("heap", m_buffer, 0, 16 * kMiB, 0, 2 * kMs);
    }

    void block(std::int64_t firstUnit, std::int64_t units, std::optional<std::int64_t> endNs = {},
               std::int64_t startNs = 3 * kMs) {
        m_builder.piece("block", m_buffer, firstUnit * kMiB, units * kMiB, m_index, startNs, endNs);
    }
    void refuse(std::int64_t units, std::int64_t atNs = 50 * kMs, std::int64_t address = kHeapAddress) {
        m_builder.failedCall("vramscope_heap_failed", "heap", 0, atNs, address, units * kMiB, std::nullopt);
    }
    std::vector<Finding> found() {
        return findingsOf(detectors::detectAll(*m_builder.load()), "fit.fragmentation");
    }

    CaptureBuilder m_builder;
    std::int64_t m_user;
    std::int64_t m_index;
    std::int64_t m_buffer;
};

TEST_F(FragmentationTest, NamesTheCheapestBlocksInTheWay) {
    // Holes of 4, 3, 3 and 2 units; for 6 the block of 1 between the first two is cheapest.
    block(4, 1);
    block(8, 2);
    block(13, 1);
    refuse(6);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Proven);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Fit);
    EXPECT_EQ(findings[0].bytes, 6 * kMiB);
    EXPECT_EQ(
        findings[0].sentence,
        "Heap \"piece\" had no room for 6.0 MiB at 0.050 s, with 12.0 MiB free: the largest hole was 4.0 "
        "MiB.");
    EXPECT_EQ(findings[0].evidence[0], "The heap has 16.0 MiB in 3 blocks; its free bytes lie in 4 holes.");
    EXPECT_EQ(findings[0].evidence[1], "Without one block (1.0 MiB) there would be a hole of 8.0 MiB.");
    EXPECT_NE(findings[0].evidence[2].find("of index (b7f1000000000.1 at offset 0x400000)"),
              std::string::npos)
        << findings[0].evidence[2];
}

TEST_F(FragmentationTest, AFullHeapIsNotScattered) {
    block(0, 12);
    refuse(6);
    EXPECT_TRUE(found().empty());
}

TEST_F(FragmentationTest, AHoleThatIsLargeEnoughIsNoCause) {
    block(7, 2);
    refuse(7);
    EXPECT_TRUE(found().empty());
}

TEST_F(FragmentationTest, WhatWasGivenBackBeforeOrHandedOutAfterDoesNotPin) {
    block(7, 2, 40 * kMs);
    block(7, 2, {}, 60 * kMs);
    refuse(8);
    EXPECT_TRUE(found().empty());
}

TEST_F(FragmentationTest, ARequestOfNoHeapIsPassedOver) {
    block(7, 2);
    refuse(8, 50 * kMs, kHeapAddress + kMiB);
    refuse(8, kMs);  // before it was declared
    EXPECT_TRUE(found().empty());
}

TEST_F(FragmentationTest, ServedAfterMakingRoomIsNoProblem) {
    block(7, 2, 55 * kMs);
    refuse(8);
    m_builder.piece("block", m_buffer, 0, 8 * kMiB, m_user, 60 * kMs);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].findingClass, FindingClass::Recovered);
    EXPECT_NE(findings[0].sentence.find("then served 10.0 ms later"), std::string::npos)
        << findings[0].sentence;
}

TEST_F(FragmentationTest, NothingIsProvenWhereRecordsAreLost) {
    block(7, 2);
    refuse(8);
    m_builder.drop("ring-full", 3);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Possible);
}

TEST_F(FragmentationTest, BlocksOverlapNestAndLeaveTheHeap) {
    block(2, 4);
    block(3, 1);
    block(5, 3);
    block(14, 6);
    const auto capture = m_builder.load();
    const model::SubBuffer* heap = heapAt(*capture, model::ProcessId{1}, kHeapAddress, 10 * kMs);
    ASSERT_NE(heap, nullptr);
    const model::HeapUse use = heapUseAt(*capture, *heap, 10 * kMs, 8 * kMiB);
    EXPECT_EQ(use.blockCount, 4);
    EXPECT_EQ(use.holeCount, 2);
    EXPECT_EQ(use.freeBytes, 8 * kMiB);
    EXPECT_EQ(use.largestHoleBytes, 6 * kMiB);
    EXPECT_TRUE(use.isTooScatteredFor(7 * kMiB));
    ASSERT_EQ(use.pinning.size(), 1U) << "the block at the end has the fewest bytes in the heap";
    EXPECT_EQ(use.roomWithoutThem, 8 * kMiB);
}

TEST_F(FragmentationTest, HeapsEndWithTheirBuffer) {
    const auto other = m_builder.allocate(
        {.address = kHeapAddress + 64 * kMiB, .bytes = 4 * kMiB, .allocNs = kMs, .freeNs = 20 * kMs});
    m_builder.piece("heap", other, 0, 4 * kMiB, 0, 2 * kMs);
    m_builder.piece("block", other, kMiB, kMiB, m_index, 3 * kMs);
    const auto capture = m_builder.load();
    EXPECT_EQ(heapsWithHolesAt(*capture, 10 * kMs).size(), 1U);
    EXPECT_TRUE(heapsWithHolesAt(*capture, 30 * kMs).empty());
}

}  // namespace
}  // namespace vramscope::tests
