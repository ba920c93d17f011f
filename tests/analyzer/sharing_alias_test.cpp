// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::Finding;

class SharingAliasTest : public testing::Test {
protected:
    SharingAliasTest() : m_left(m_builder.task("left")), m_right(m_builder.task("right")) {
        m_builder.taskSpan(m_left, 1, 0, 100 * kMs);
        m_builder.taskSpan(m_right, 1, 100 * kMs, 200 * kMs);
    }
    std::int64_t mapping(std::int64_t handle, std::int64_t task, std::int64_t atNs,
                         std::optional<std::int64_t> endNs = {}) {
        const auto buffer = m_builder.allocate(
            {.kind = "vmm", .bytes = kMiB, .allocNs = atNs, .freeNs = endNs, .handle = handle});
        m_builder.owner(buffer, task);
        return buffer;
    }
    /// A second process opens `buffer` and names a part of what it got in the second task.
    std::int64_t importAndName(std::int64_t buffer) {
        m_builder.process(2);
        const auto import = m_builder.allocate(
            {.process = 2, .kind = "ipc", .bytes = kMiB, .allocNs = 110 * kMs, .thread = 2});
        m_builder.exec(
            "INSERT INTO ipc_handles(ipc_handle_id, process_id, kind, handle_hash, buffer_id, "
            "get_count, get_ns) VALUES(1, 1, 'memory', 1, " +
            std::to_string(buffer) + ", 1, 1)");
        m_builder.exec(
            "INSERT INTO ipc_imports(ipc_import_id, process_id, kind, handle_hash, ipc_handle_id, "
            "matched_by, buffer_id, open_ns) VALUES(1, 2, 'memory', 1, 1, 'bytes', " +
            std::to_string(import) + ", 110000000)");
        m_builder.owner(import, m_right);
        m_builder.piece("region", import, 4096, 4096, m_right, 120 * kMs);
        return import;
    }
    std::vector<Finding> found() {
        return findingsOf(detectors::detectAll(*m_builder.load()), "sharing.alias");
    }

    CaptureBuilder m_builder;
    std::int64_t m_left;
    std::int64_t m_right;
};

TEST_F(SharingAliasTest, TwoMappingsOfOneHandle) {
    const auto handle = m_builder.vmmHandle(kMiB, kMs, {}, 1, 2, {});
    mapping(handle, m_left, 2 * kMs);
    mapping(handle, m_right, 120 * kMs);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Proven);
    EXPECT_EQ(findings[0].buffers.size(), 2U);
    EXPECT_NE(findings[0].sentence.find("left and right hold the same 1.0 MiB"), std::string::npos)
        << findings[0].sentence;
}

TEST_F(SharingAliasTest, NotOfOneTaskNotOneAfterTheOtherNotOfTheProcess) {
    const auto first = m_builder.vmmHandle(kMiB, kMs, {}, 1, 2, {});
    mapping(first, m_left, 2 * kMs);
    mapping(first, m_left, 3 * kMs);
    const auto second = m_builder.vmmHandle(kMiB, 2 * kMs, {}, 1, 2, {});
    mapping(second, m_left, 4 * kMs, 50 * kMs);
    mapping(second, m_right, 120 * kMs);
    const auto third = m_builder.vmmHandle(kMiB, 3 * kMs, {}, 1, 2, {});
    mapping(third, 1, 5 * kMs);
    mapping(third, m_right, 130 * kMs);
    EXPECT_TRUE(found().empty());
}

TEST_F(SharingAliasTest, NotWhatWasLent) {
    const auto handle = m_builder.vmmHandle(kMiB, kMs, {}, 1, 2, {});
    const auto buffer = mapping(handle, m_left, 2 * kMs);
    m_builder.handOver("lend-read", buffer, 0, kMiB, m_right, 3 * kMs);
    mapping(handle, m_right, 120 * kMs);
    EXPECT_TRUE(found().empty());
}

TEST_F(SharingAliasTest, ANameForTheBytesOfAnother) {
    const auto buffer = m_builder.allocate({.bytes = kMiB, .allocNs = kMs});
    m_builder.owner(buffer, m_left);
    m_builder.piece("region", buffer, 0, kMiB, m_left, 2 * kMs);
    m_builder.piece("region", buffer, 4096, 4096, m_right, 120 * kMs);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].bytes, 4096);
}

TEST_F(SharingAliasTest, ANameForAnImportOfWhatIsLentToOthers) {
    const auto buffer = m_builder.allocate({.bytes = kMiB, .allocNs = kMs});
    m_builder.owner(buffer, m_left);
    m_builder.handOver("lend-read", buffer, 0, kMiB, m_builder.task("third"), 2 * kMs);
    const auto import = importAndName(buffer);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].buffers, (std::vector{model::BufferId{buffer}, model::BufferId{import}}));
    EXPECT_EQ(findings[0].processes.size(), 2U);
}

TEST_F(SharingAliasTest, AnExportOfWhichNothingWasSaidIsMeant) {
    const auto buffer = m_builder.allocate({.bytes = kMiB, .allocNs = kMs});
    m_builder.owner(buffer, m_left);
    importAndName(buffer);
    EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace vramscope::tests
