// SPDX-License-Identifier: Apache-2.0
// corruption.overwrite: what it says, and what looks like it and is nothing.
#include <gtest/gtest.h>

#include "analyzer/model/pooled_buffers.h"
#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::Finding;

/// Thread 1 works for "owner", thread 2 for "writer"; a buffer of the first.
class OverwriteTest : public testing::Test {
protected:
    OverwriteTest() : m_owner(m_builder.task("owner")), m_writer(m_builder.task("writer")) {
        m_builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (2, 1, 4712, 0)");
    }

    void mark(const std::string& basis = "mark") {
        m_builder.taskSpan(m_owner, 1, 0, 9'000 * kMs, basis);
        m_builder.taskSpan(m_writer, 2, 0, 9'000 * kMs, basis);
    }
    std::int64_t ownersBuffer(std::optional<std::int64_t> stack = {}) {
        const auto buffer = m_builder.allocate({.bytes = kMiB, .allocNs = kMs, .stack = stack});
        m_builder.owner(buffer, m_owner);
        return buffer;
    }
    std::vector<Finding> found() {
        m_capture = m_builder.load();
        return findingsOf(detectors::detectAll(*m_capture), "corruption.overwrite");
    }
    void expectNothing() {
        const auto findings = found();
        EXPECT_TRUE(findings.empty()) << findings.front().sentence;
    }
    void expectOne(Confidence confidence) {
        const auto findings = found();
        ASSERT_EQ(findings.size(), 1U);
        EXPECT_EQ(findings[0].confidence, confidence) << findings[0].sentence;
    }

    CaptureBuilder m_builder;
    std::int64_t m_owner;
    std::int64_t m_writer;
    std::shared_ptr<const model::Capture> m_capture;
};

TEST_F(OverwriteTest, SaysWhoWroteWhatOfWhom) {
    mark();
    const auto buffer = ownersBuffer(m_builder.stack({"/opt/app/train!make_weights@gan.cpp:21"}));
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.set(20 * kMs, buffer, 4096, 64, 2);
    m_builder.set(30 * kMs, buffer, 4096, 64, 2);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Proven);
    EXPECT_EQ(findings[0].count, 2);
    EXPECT_EQ(findings[0].bytes, 64);
    EXPECT_NE(findings[0].sentence.find("writer wrote owner's buffer b7f0000000000.1 (1.0 MiB), 64 bytes at "
                                        "offset 0x1000."),
              std::string::npos)
        << findings[0].sentence;
}

TEST_F(OverwriteTest, ItsOwnIsNobodysBusiness) {
    mark();
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 1);
    expectNothing();
}

TEST_F(OverwriteTest, BytesThatTheOwnerNeverUsedMayBeMeantForTheWriter) {
    mark();
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, 4096, 1);
    m_builder.set(20 * kMs, buffer, 8192, 4096, 2);
    expectOne(Confidence::Possible);
}

TEST_F(OverwriteTest, MemoryOfTheProcessIsThereForItsTasks) {
    mark();
    const auto buffer = m_builder.allocate({.bytes = kMiB});
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 2);
    expectNothing();
}

TEST_F(OverwriteTest, UnmarkedWorkIsNeverProven) {
    m_builder.taskSpan(m_owner, 1, 0, 9'000 * kMs);
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 2);
    expectOne(Confidence::Possible);
}

TEST_F(OverwriteTest, WhatIsLentForWritingIsNothing) {
    mark();
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.handOver("lend-write", buffer, 0, kMiB, m_writer, 15 * kMs);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 2);
    expectNothing();
}

TEST_F(OverwriteTest, ALoanForReadingIsNone) {
    mark();
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.handOver("lend-read", buffer, 0, kMiB, m_writer, 15 * kMs);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 2);
    expectOne(Confidence::Proven);
}

TEST_F(OverwriteTest, ALoanThatEndedIsNone) {
    mark();
    const auto buffer = ownersBuffer();
    m_builder.handOver("lend-write", buffer, 0, kMiB, m_writer, 5 * kMs);
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.handOver("lend-end", buffer, 0, kMiB, m_writer, 15 * kMs);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 2);
    expectOne(Confidence::Proven);
}

TEST_F(OverwriteTest, WhatWasGivenIsTheirs) {
    mark();
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.handOver("give", buffer, 0, kMiB, m_writer, 15 * kMs);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 2);
    expectNothing();
}

TEST_F(OverwriteTest, OfGuessedTasksOnlyWhatTheOwnerAloneHadWritten) {
    mark("thread");
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 2);
    m_builder.set(30 * kMs, buffer, 0, kMiB, 1);
    m_builder.set(40 * kMs, buffer, 0, kMiB, 2);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Possible);
    EXPECT_EQ(findings[0].count, 1) << "from then on they share it";
}

TEST_F(OverwriteTest, OfGuessedTasksABufferThatOthersFillFirstIsShared) {
    mark("thread");
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, kMiB, 2);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 1);
    m_builder.set(30 * kMs, buffer, 0, kMiB, 2);
    expectNothing();
}

TEST_F(OverwriteTest, WorkOfNobodyInParticularAccusesNobody) {
    m_builder.taskSpan(m_owner, 1, 0, 9'000 * kMs);
    m_builder.taskSpan(m_writer, 0, 0, 9'000 * kMs, "unassigned", 1000);
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 2);
    expectNothing();
}

TEST_F(OverwriteTest, NothingIsProvenOnARecordWithHoles) {
    mark();
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 2);
    m_builder.drop("ring-full", 3);
    expectOne(Confidence::Possible);
}

TEST_F(OverwriteTest, AnArgumentIsAHintAndAPointerToConstIsNone) {
    mark();
    m_builder.exec(
        "INSERT INTO kernels (kernel_id, process_id, handle, name) VALUES"
        " (1, 1, 1, '_Z4readPKf'), (2, 1, 2, '_Z5writePf')");
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.launch(20 * kMs, {buffer}, 2, 1);
    m_builder.launch(30 * kMs, {buffer}, 2, 2);
    m_builder.launch(40 * kMs, {buffer}, 2, 2);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Possible);
    EXPECT_EQ(findings[0].count, 2);
    EXPECT_NE(findings[0].evidence[0].find("_Z5writePf"), std::string::npos) << findings[0].evidence[0];
}

TEST_F(OverwriteTest, AnArgumentUnderALoanIsRead) {
    mark();
    const auto buffer = ownersBuffer();
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.handOver("lend-read", buffer, 0, kMiB, 0, 15 * kMs);
    m_builder.launch(30 * kMs, {buffer}, 2);
    expectNothing();
}

TEST_F(OverwriteTest, BlocksOfAHeapHaveOwnersOfTheirOwn) {
    mark();
    const auto buffer = ownersBuffer();
    m_builder.piece("heap", buffer, 0, kMiB, 0, 2 * kMs);
    m_builder.piece("block", buffer, 0, 4096, m_owner, 3 * kMs);
    m_builder.piece("block", buffer, 4096, 4096, m_writer, 3 * kMs);
    m_builder.set(10 * kMs, buffer, 0, 4096, 1);
    m_builder.set(20 * kMs, buffer, 4096, 4096, 2);
    m_builder.set(30 * kMs, buffer, 65536, 4096, 2);  // what was handed out to nobody
    expectNothing();
}

TEST_F(OverwriteTest, AWriteThatGoesOnIntoTheNextBlockIsOne) {
    mark();
    const auto buffer = ownersBuffer();
    m_builder.piece("heap", buffer, 0, kMiB, 0, 2 * kMs);
    m_builder.piece("block", buffer, 4096, 4096, m_owner, 3 * kMs);
    m_builder.piece("block", buffer, 0, 4096, m_writer, 3 * kMs);
    m_builder.set(10 * kMs, buffer, 4096, 4096, 1);
    m_builder.set(20 * kMs, buffer, 0, 4096 + 89, 2);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Proven);
    EXPECT_EQ(findings[0].bytes, 89);
}

TEST_F(OverwriteTest, AWorkspaceIsTheLibrarys) {
    mark();
    const auto buffer =
        ownersBuffer(m_builder.stack({"/lib/libcublas.so.13!cublasCreate", "/opt/app/train!main"}));
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.launch(20 * kMs, {buffer}, 2);
    m_builder.set(30 * kMs, buffer, 0, kMiB, 2);
    expectNothing();
}

TEST_F(OverwriteTest, WhatAFrameworkCutsUpIsPassedOver) {
    mark();
    const auto stack = m_builder.stack({"/lib/libc10_cuda.so!CUDACachingAllocator", "/opt/app/train!main"});
    const auto buffer = ownersBuffer(stack);
    m_builder.set(10 * kMs, buffer, 0, kMiB, 1);
    m_builder.set(20 * kMs, buffer, 0, kMiB, 2);
    expectNothing();
    EXPECT_EQ(buffersSkippedByOwnership(*m_capture).bytes, kMiB);
}

}  // namespace
}  // namespace vramscope::tests
