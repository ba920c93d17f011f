// SPDX-License-Identifier: Apache-2.0
// corruption.uninitialised: a buffer that a kernel read first, and what is none.
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

class UninitialisedTest : public testing::Test {
protected:
    UninitialisedTest() { m_buffer = m_builder.allocate({.bytes = kMiB, .allocNs = kMs}); }

    /// A kernel that was seen, and one access of it; the same moment is the same launch.
    void access(std::int64_t atNs, const std::string& kind, std::int64_t buffer) {
        const std::string id = std::to_string(++m_rows);
        m_builder.exec("INSERT INTO exact_launches VALUES (" + id + ", 1, 1, NULL, NULL, " +
                       std::to_string(atNs) + ", " + std::to_string(atNs + 1000) + ", NULL, 0)");
        m_builder.exec("INSERT INTO exact_accesses VALUES (" + id + ", " + id + ", '" + kind +
                       "', 0, 4096, " + std::to_string(buffer) + ", 0, 0, NULL, NULL)");
    }
    std::vector<detectors::Finding> found() {
        m_capture = m_builder.load();
        return findingsOf(detectors::detectAll(*m_capture), "corruption.uninitialised");
    }

    CaptureBuilder m_builder;
    std::int64_t m_buffer = 0;
    int m_rows = 0;
    std::shared_ptr<const model::Capture> m_capture;
};

TEST_F(UninitialisedTest, AReadBeforeAnyWriteIsPossible) {
    access(20 * kMs, "read", m_buffer);
    m_builder.set(30 * kMs, m_buffer, 0, kMiB);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, detectors::Confidence::Possible);
    EXPECT_NE(findings[0].sentence.find("which nothing had written before"), std::string::npos)
        << findings[0].sentence;
}

TEST_F(UninitialisedTest, ASetBeforeItIsEnough) {
    m_builder.set(10 * kMs, m_buffer, 0, 16);
    access(20 * kMs, "read", m_buffer);
    EXPECT_TRUE(found().empty());
}

TEST_F(UninitialisedTest, AKernelThatWasNotSeenMayHaveWrittenIt) {
    m_builder.launch(10 * kMs, {m_buffer});
    access(20 * kMs, "read", m_buffer);
    EXPECT_TRUE(found().empty());
}

TEST_F(UninitialisedTest, TheSameLaunchMayWriteAndThenRead) {
    access(20 * kMs, "read", m_buffer);
    access(20 * kMs, "write", m_buffer);
    EXPECT_TRUE(found().empty());
}

TEST_F(UninitialisedTest, WhereLaunchesWentUnseenNothingIsSaid) {
    access(20 * kMs, "read", m_buffer);
    m_builder.exec("INSERT INTO notes VALUES (0, 1, 'warning', 'exact-accesses', 'of 3 it was not')");
    EXPECT_TRUE(found().empty());
}

TEST_F(UninitialisedTest, WithoutTheExactEngineThereIsNothingToSay) {
    m_builder.launch(20 * kMs, {m_buffer});
    EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace vramscope::tests
