// SPDX-License-Identifier: Apache-2.0
// corruption.overflow with kernels whose accesses were seen.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::Finding;

constexpr std::int64_t kBase = 0x7F00'0000'0000;

/// Launches of kernel 77 by thread 1.
class ExactOverflowTest : public testing::Test {
protected:
    ExactOverflowTest() {
        m_builder.exec(
            "INSERT INTO kernels (kernel_id, process_id, handle, name) VALUES (77, 1, 77, 'paint')");
        m_builder.exec(
            "INSERT INTO code_places VALUES (1, 1, 'paint', 80, '/src/paint.cu', 31), (2, 1, 'paint', 96, "
            "NULL, NULL)");
    }
    std::int64_t buffer(std::int64_t address, std::int64_t bytes, const char* kind = "device") {
        return m_builder.allocate({.kind = kind, .address = address, .bytes = bytes, .allocNs = kMs});
    }
    /// A launch that was given `buffers`; what follows is what it did.
    void launch(const std::vector<std::int64_t>& buffers, std::int64_t thread = 1) {
        ++m_launches;
        const std::int64_t atNs = 10 * kMs * m_launches;
        m_builder.launch(atNs, buffers, thread, 77);
        m_builder.exec("INSERT INTO exact_launches VALUES (" + std::to_string(m_launches) + ", 1, " +
                       std::to_string(thread) + ", NULL, 77, " + std::to_string(atNs) + ", " +
                       std::to_string(atNs + 1) + ", NULL, 0)");
    }
    /// In `buffer`, or outside everything (0); `place` is a row of code_places.
    void access(const std::string& kind, std::int64_t address, std::int64_t bytes, std::int64_t buffer,
                std::int64_t offset = 0, const std::string& place = "1") {
        m_builder.exec("INSERT INTO exact_accesses VALUES (" + std::to_string(++m_accesses) + ", " +
                       std::to_string(m_launches) + ", '" + kind + "', " + std::to_string(address) + ", " +
                       std::to_string(bytes) + ", " + (buffer != 0 ? std::to_string(buffer) : "NULL") + ", " +
                       (buffer != 0 ? std::to_string(offset) : "NULL") + ", " + (buffer != 0 ? "0" : "1") +
                       ", " + place + ", " + place + ")");
    }
    std::vector<Finding> found() {
        m_capture = m_builder.load();
        return findingsOf(detectors::detectAll(*m_capture), "corruption.overflow");
    }

    CaptureBuilder m_builder;
    std::int64_t m_launches = 0;
    std::int64_t m_accesses = 0;
    std::shared_ptr<const model::Capture> m_capture;
};

TEST_F(ExactOverflowTest, BytesBetweenBuffersAreNobodys) {
    const std::int64_t table = buffer(kBase, 979);
    const std::int64_t next = buffer(kBase + 1024, 4096);
    launch({table});
    access("read", kBase, 979, table);
    access("write", kBase + 89, 890, table, 89);
    access("write", kBase + 979, 45, 0);
    access("write", kBase + 1024, 44, next);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Proven);
    EXPECT_EQ(findings[0].bytes, 89);
    EXPECT_EQ(findings[0].buffers, std::vector{model::BufferId{table}});
    const std::string evidence = findings[0].evidence[1];
    EXPECT_EQ(evidence, "It wrote there at paint.cu:31.");
}

TEST_F(ExactOverflowTest, ARunIntoTheNeighbourIsProvenWhereItsAddressCannotBeKnown) {
    const std::int64_t first = buffer(kBase, 4096);
    const std::int64_t next = buffer(kBase + 4096, 4096);
    launch({first});
    access("write", kBase, 4096, first);
    access("write", kBase + 4096, 1024, next);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Proven);
    EXPECT_EQ(findings[0].bytes, 1024);
    EXPECT_EQ(findings[0].buffers, std::vector{model::BufferId{first}});
}

TEST_F(ExactOverflowTest, AKernelThatReadsMemoryMayHaveFoundTheAddressThere) {
    const std::int64_t first = buffer(kBase, 4096);
    const std::int64_t next = buffer(kBase + 4096, 4096);
    const std::int64_t table = buffer(kBase + kMiB, 4096);
    launch({first, table});
    access("read", kBase + kMiB, 16, table);
    access("write", kBase, 4096, first);
    access("write", kBase + 4096, 1024, next);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Possible);
}

TEST_F(ExactOverflowTest, AVariableOfTheModuleMayHoldTheAddress) {
    const std::int64_t first = buffer(kBase, 4096);
    const std::int64_t next = buffer(kBase + 4096, 4096);
    buffer(kBase + kMiB, 8, "module");
    launch({first});
    access("write", kBase, 4096, first);
    access("write", kBase + 4096, 1024, next);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Possible);
}

TEST_F(ExactOverflowTest, WhoeverWasGivenBothMayWriteBoth) {
    const std::int64_t first = buffer(kBase, 4096);
    const std::int64_t next = buffer(kBase + 4096, 4096);
    launch({first, next});
    access("write", kBase, 4096, first);
    access("write", kBase + 4096, 1024, next);
    EXPECT_TRUE(found().empty());
}

TEST_F(ExactOverflowTest, TwoInstructionsOfAKernelThatReadsMemoryWroteTwoThings) {
    const std::int64_t first = buffer(kBase, 4096);
    const std::int64_t next = buffer(kBase + 4096, 4096);
    const std::int64_t table = buffer(kBase + kMiB, 4096);
    launch({first, table});
    access("read", kBase + kMiB, 16, table);
    access("write", kBase, 4096, first);
    access("write", kBase + 4096, 1024, next, 0, "2");
    EXPECT_TRUE(found().empty());
}

TEST_F(ExactOverflowTest, WhatDoesNotRunOnIsNothing) {
    const std::int64_t first = buffer(kBase, 4096);
    const std::int64_t next = buffer(kBase + 4096, 4096);
    const std::int64_t far = buffer(kBase + 16384, 4096);
    launch({first});
    access("write", kBase, 4092, first);
    access("write", kBase + 4096, 1024, next);
    launch({first});
    access("write", kBase, 4096, first);
    access("write", kBase + 4100, 1024, next, 4);
    launch({first});
    access("write", kBase, 4096, first);
    access("write", kBase + 16384, 1024, far);
    EXPECT_TRUE(found().empty());
}

TEST_F(ExactOverflowTest, MappingsSideBySideAreOneThing) {
    const std::int64_t first = buffer(kBase, 2 * kMiB, "vmm");
    const std::int64_t next = buffer(kBase + 2 * kMiB, 2 * kMiB, "vmm");
    launch({first});
    access("write", kBase, 2 * kMiB, first);
    access("write", kBase + 2 * kMiB, 1024, next);
    EXPECT_TRUE(found().empty());
}

TEST_F(ExactOverflowTest, AnotherTasksNeighbourIsToldOfOnce) {
    m_builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (2, 1, 4712, 0)");
    const std::int64_t owner = m_builder.task("owner");
    const std::int64_t writer = m_builder.task("writer");
    m_builder.taskSpan(owner, 1, 0, 9'000 * kMs);
    m_builder.taskSpan(writer, 2, 0, 9'000 * kMs);
    const std::int64_t first = buffer(kBase, 4096);
    const std::int64_t next = buffer(kBase + 4096, 4096);
    m_builder.owner(first, writer);
    m_builder.owner(next, owner);
    m_builder.set(5 * kMs, next, 0, 4096, 1);
    launch({first}, 2);
    access("write", kBase, 4096, first);
    access("write", kBase + 4096, 1024, next);
    EXPECT_TRUE(found().empty());
    const auto overwrites = findingsOf(detectors::detectAll(*m_capture), "corruption.overwrite");
    ASSERT_EQ(overwrites.size(), 1U);
    EXPECT_EQ(overwrites[0].confidence, Confidence::Proven);
    const auto& evidence = overwrites[0].evidence;
    EXPECT_NE(std::find(evidence.begin(), evidence.end(), "It wrote both at paint.cu:31."), evidence.end());
}

TEST_F(ExactOverflowTest, WhatAnotherOwnsIsNotJudgedHere) {
    const std::int64_t owner = m_builder.task("owner");
    const std::int64_t writer = m_builder.task("writer");
    m_builder.taskSpan(writer, 1, 0, 9'000 * kMs);
    const std::int64_t first = buffer(kBase, 4096);
    const std::int64_t next = buffer(kBase + 4096, 4096);
    m_builder.owner(first, writer);
    m_builder.owner(next, owner);
    launch({first});
    access("write", kBase, 4096, first);
    access("write", kBase + 4096, 1024, next);
    EXPECT_TRUE(found().empty()) << "that it is another's is corruption.overwrite's to judge";
}

TEST_F(ExactOverflowTest, WithoutLinesTheOffsetIsTold) {
    const std::int64_t table = buffer(kBase, 979);
    launch({table});
    access("write", kBase + 979, 20, 0, 0, "2");
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_NE(findings[0].evidence[1].find("paint+0x60"), std::string::npos) << findings[0].evidence[1];
}

TEST_F(ExactOverflowTest, AllocationsThatAreMissingLeaveItPossible) {
    const std::int64_t table = buffer(kBase, 979);
    m_builder.drop("ring-full", 3);
    launch({table});
    access("write", kBase + 979, 20, 0);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Possible);
}

}  // namespace
}  // namespace vramscope::tests
