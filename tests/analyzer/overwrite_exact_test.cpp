// SPDX-License-Identifier: Apache-2.0
// corruption.overwrite with kernels whose accesses were seen.
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::Finding;

/// Thread 1 works for "owner", thread 2 for "writer"; a buffer of the first.
class ExactOverwriteTest : public testing::Test {
protected:
    ExactOverwriteTest() : m_owner(m_builder.task("owner")), m_writer(m_builder.task("writer")) {
        m_builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (2, 1, 4712, 0)");
        m_builder.exec(
            "INSERT INTO kernels (kernel_id, process_id, handle, name) VALUES (77, 1, 77, 'paint')");
        m_builder.taskSpan(m_owner, 1, 0, 9'000 * kMs);
        m_builder.taskSpan(m_writer, 2, 0, 9'000 * kMs);
        m_buffer = m_builder.allocate({.bytes = kMiB, .allocNs = kMs});
        m_builder.owner(m_buffer, m_owner);
    }

    /// One access of a kernel that thread 2 launched.
    void access(std::int64_t atNs, const std::string& kind, std::int64_t offset, std::int64_t bytes) {
        const std::string id = std::to_string(++m_launches);
        m_builder.exec("INSERT INTO exact_launches VALUES (" + id + ", 1, 2, NULL, 77, " +
                       std::to_string(atNs) + ", " + std::to_string(atNs + 1000) + ", NULL, 0)");
        m_builder.exec("INSERT INTO exact_accesses VALUES (" + id + ", " + id + ", '" + kind + "', 0, " +
                       std::to_string(bytes) + ", " + std::to_string(m_buffer) + ", " +
                       std::to_string(offset) + ", 0, NULL, NULL)");
    }
    std::vector<Finding> found() {
        m_capture = m_builder.load();
        return findingsOf(detectors::detectAll(*m_capture), "corruption.overwrite");
    }

    CaptureBuilder m_builder;
    std::int64_t m_owner;
    std::int64_t m_writer;
    std::int64_t m_buffer = 0;
    int m_launches = 0;
    std::shared_ptr<const model::Capture> m_capture;
};

TEST_F(ExactOverwriteTest, WhatAKernelWasSeenToWriteIsProven) {
    m_builder.set(10 * kMs, m_buffer, 0, kMiB, 1);
    access(20 * kMs, "write", 4096, 512);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Proven);
    EXPECT_EQ(findings[0].bytes, 512);
    EXPECT_NE(findings[0].sentence.find("512 bytes at offset 0x1000"), std::string::npos)
        << findings[0].sentence;
}

TEST_F(ExactOverwriteTest, AReadIsNothing) {
    m_builder.set(10 * kMs, m_buffer, 0, kMiB, 1);
    access(20 * kMs, "read", 4096, 512);
    EXPECT_TRUE(found().empty());
}

TEST_F(ExactOverwriteTest, ALaunchThatWasSeenIsNotGuessedAbout) {
    m_builder.set(10 * kMs, m_buffer, 0, kMiB, 1);
    // Given the pointer, and seen to read only.
    m_builder.launch(20 * kMs, {m_buffer}, 2);
    access(20 * kMs, "read", 0, 512);
    EXPECT_TRUE(found().empty());
}

TEST_F(ExactOverwriteTest, BetweenTheEndsNobodyIsAccused) {
    m_builder.set(10 * kMs, m_buffer, 4096, 4096, 1);
    // The writer's blocks lie on both sides of the owner's, and the kernel wrote one byte in each.
    m_builder.piece("heap", m_buffer, 0, kMiB, 0, 2 * kMs);
    m_builder.piece("block", m_buffer, 0, 4096, m_writer, 3 * kMs);
    m_builder.piece("block", m_buffer, 4096, 4096, m_owner, 3 * kMs);
    m_builder.piece("block", m_buffer, 8192, 4096, m_writer, 3 * kMs);
    access(20 * kMs, "write", 0, 8193);
    EXPECT_TRUE(found().empty());
}

TEST_F(ExactOverwriteTest, TheEndThatLiesInAnothersBlockIsProven) {
    m_builder.set(10 * kMs, m_buffer, 4096, 4096, 1);
    m_builder.piece("heap", m_buffer, 0, kMiB, 0, 2 * kMs);
    m_builder.piece("block", m_buffer, 0, 4096, m_writer, 3 * kMs);
    m_builder.piece("block", m_buffer, 4096, 4096, m_owner, 3 * kMs);
    access(20 * kMs, "write", 0, 4096 + 89);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Proven);
    EXPECT_EQ(findings[0].bytes, 1);
}

}  // namespace
}  // namespace vramscope::tests
