// SPDX-License-Identifier: Apache-2.0
// corruption.overwrite where the writer comes by another way: rows of a pitched copy, imports of other
// processes, streams that nothing orders.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analyzer/model/access_rows.h"
#include "tests/analyzer/detector_support.h"
#include "tests/support/stream_program.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::Finding;

std::vector<Finding> overwritesIn(const model::Capture& capture) {
    return findingsOf(detectors::detectAll(capture), "corruption.overwrite");
}

/// Two blocks of tasks in one heap, 4096 bytes each, side by side: "left" at 0, "right" at 4096.
class RowsTest : public testing::Test {
protected:
    RowsTest() : m_left(m_builder.task("left")), m_right(m_builder.task("right")) {
        m_builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (2, 1, 4712, 0)");
        m_builder.taskSpan(m_left, 1, 0, 9'000 * kMs);
        m_builder.taskSpan(m_right, 2, 0, 9'000 * kMs);
        m_buffer = m_builder.allocate({.bytes = kMiB, .allocNs = kMs});
        m_builder.piece("heap", m_buffer, 0, kMiB, 0, 2 * kMs);
        m_builder.piece("block", m_buffer, 0, 4096, m_left, 3 * kMs);
        m_builder.piece("block", m_buffer, 4096, 4096, m_right, 3 * kMs);
        m_builder.set(10 * kMs, m_buffer, 4096, 4096, 2);
    }
    void setRows(std::uint64_t offset, std::uint64_t width, std::uint64_t rows, std::uint64_t pitch) {
        formats::SetEvent event;
        event.enterNs = 20 * kMs;
        event.exitNs = 20 * kMs + 1;
        event.processId = event.threadId = 1;
        event.dstBufferId = m_buffer;
        event.dstOffset = offset;
        event.bytes = width * rows;
        event.widthBytes = width;
        event.rows = rows;
        event.pitch = pitch;
        m_builder.add(event, "cuMemsetD2D8_v2");
    }
    std::vector<Finding> found() { return overwritesIn(*m_builder.load()); }

    CaptureBuilder m_builder;
    std::int64_t m_left;
    std::int64_t m_right;
    std::int64_t m_buffer = 0;
};

TEST_F(RowsTest, ALaterRowIsAWriteToo) {
    setRows(0, 64, 10, 512);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Proven);
    EXPECT_EQ(findings[0].count, 1);
    EXPECT_EQ(findings[0].bytes, 2 * 64) << "rows 8 and 9";
    EXPECT_NE(findings[0].sentence.find("128 bytes in rows from offset 0x1000 on"), std::string::npos)
        << findings[0].sentence;
}

TEST_F(RowsTest, WhatLiesBetweenRowsIsNotTouched) {
    setRows(0, 64, 3, 2 * 4096);
    EXPECT_TRUE(found().empty()) << "rows at 0, 8192 and 16384, which nobody else holds";
}

TEST_F(RowsTest, RowsSideBySideAreOneRange) {
    setRows(4000, 64, 2, 64);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].bytes, 4000 + 128 - 4096);
}

TEST_F(RowsTest, RowsThatTheOwnerUsedCount) {
    setRows(8192 - 64, 64, 1, 0);
    EXPECT_EQ(found().size(), 1U);
}

TEST(AccessRows, TouchOnlyWhatLiesInARow) {
    const model::AccessRows rows{4, 100, 3, 1000};
    for (std::int64_t begin = -5; begin < 3100; ++begin) {
        for (const std::int64_t bytes : {1, 7, 90, 150}) {
            bool isTouched = false;
            for (std::int64_t slice = 0; slice < 3; ++slice) {
                for (std::int64_t row = 0; row < 4; ++row) {
                    const std::int64_t first = slice * 1000 + row * 100;
                    isTouched = isTouched || (first < begin + bytes && begin < first + 10);
                }
            }
            ASSERT_EQ(rows.touch(10, begin, begin + bytes), isTouched) << begin << " " << bytes;
        }
    }
}

TEST(AccessRows, StrangeShapesAreCutToTheirFirstRow) {
    const auto shapeOf = [](std::int64_t width, const model::AccessRows& named) {
        const model::AccessRows rows = rowsOf(width, named);
        return fmt::format("{} x {} x {}", width, rows.count, rows.slices);
    };
    constexpr std::int64_t kHuge = std::int64_t{1} << 62;
    EXPECT_EQ(shapeOf(10, {4, 100, 3, 1000}), "10 x 4 x 3");
    EXPECT_EQ(shapeOf(10, {4, 10, 1, 0}), "40 x 1 x 1");
    EXPECT_EQ(shapeOf(10, {4, 10, 2, 40}), "80 x 1 x 1");
    EXPECT_EQ(shapeOf(10, {4, 10, 2, 50}), "40 x 2 x 1");
    EXPECT_EQ(shapeOf(10, {1, 0, 5, 30}), "10 x 5 x 1");
    EXPECT_EQ(shapeOf(10, {4, 0, 1, 0}), "10 x 1 x 1") << "an array's rows";
    EXPECT_EQ(shapeOf(10, {4, -100, 1, 0}), "10 x 1 x 1");
    EXPECT_EQ(shapeOf(10, {kHuge, kHuge, kHuge, kHuge}), "10 x 1 x 1");
    EXPECT_EQ(shapeOf(10, {0, 100, 0, 0}), "10 x 1 x 1");
}

/// Process 1 exports a buffer of its task "owner"; process 2, whose work is its own, imports it.
class ImportTest : public testing::Test {
protected:
    ImportTest() : m_owner(m_builder.task("owner")) {
        m_builder.process(2);
        m_builder.exec("INSERT INTO tasks (name, origin, process_id) VALUES ('importer', 'process', 2)");
        m_builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (2, 2, 4712, 0)");
        m_builder.taskSpan(m_owner, 1, 0, 9'000 * kMs);
    }
    void share(const std::string& matchedBy = "bytes", std::optional<std::int64_t> exportStack = {}) {
        m_exported = m_builder.allocate({.bytes = kMiB, .allocNs = kMs});
        m_builder.owner(m_exported, m_owner);
        m_imported =
            m_builder.allocate({.process = 2, .kind = "ipc", .bytes = kMiB, .allocNs = 5 * kMs, .thread = 2});
        m_builder.owner(m_imported, m_owner + 1);
        m_builder.exec(
            fmt::format("INSERT INTO ipc_handles(ipc_handle_id, process_id, kind, handle_hash, "
                        "buffer_id, get_count, get_ns, stack_id) VALUES(1, 1, 'memory', 1, {}, 1, {}, {})",
                        m_exported, 4 * kMs, exportStack ? std::to_string(*exportStack) : "NULL"));
        m_builder.exec(fmt::format(
            "INSERT INTO ipc_imports(ipc_import_id, process_id, kind, handle_hash, ipc_handle_id, "
            "matched_by, buffer_id, open_ns) VALUES(1, 2, 'memory', 1, 1, '{}', {}, {})",
            matchedBy, m_imported, 5 * kMs));
        m_builder.set(10 * kMs, m_exported, 0, kMiB, 1);
    }
    void importerWrites(std::int64_t offset = 4096, std::int64_t atNs = 20 * kMs) {
        formats::SetEvent event;
        event.enterNs = atNs;
        event.exitNs = atNs + 1;
        event.processId = event.threadId = 2;
        event.dstBufferId = m_imported;
        event.dstOffset = static_cast<std::uint64_t>(offset);
        event.bytes = 64;
        m_builder.add(event, "cuMemsetD8_v2");
    }
    void expectOne(Confidence confidence) {
        const auto findings = overwritesIn(*m_builder.load());
        ASSERT_EQ(findings.size(), 1U);
        EXPECT_EQ(findings[0].confidence, confidence) << findings[0].sentence;
        EXPECT_EQ(findings[0].processes.size(), 2U);
        EXPECT_EQ(findings[0].bytes, 64);
    }
    void expectNothing() { EXPECT_TRUE(overwritesIn(*m_builder.load()).empty()); }

    CaptureBuilder m_builder;
    std::int64_t m_owner;
    std::int64_t m_exported = 0;
    std::int64_t m_imported = 0;
};

TEST_F(ImportTest, AnExportMayBeMeantAsALoan) {
    share();
    importerWrites();
    expectOne(Confidence::Possible);
}

TEST_F(ImportTest, BeyondALoanItIsProven) {
    share();
    m_builder.handOver("lend-read", m_exported, 0, kMiB, 0, 6 * kMs);
    importerWrites();
    expectOne(Confidence::Proven);
}

TEST_F(ImportTest, NotWhereWhoseMemoryItIsWasGuessed) {
    share("size-and-order");
    m_builder.handOver("lend-read", m_exported, 0, kMiB, 0, 6 * kMs);
    importerWrites();
    expectOne(Confidence::Possible);
}

TEST_F(ImportTest, WhatIsLentForWritingIsNothing) {
    share();
    m_builder.handOver("lend-write", m_exported, 0, kMiB, 0, 6 * kMs);
    importerWrites();
    expectNothing();
}

TEST_F(ImportTest, MemoryOfNoTaskIsSharedByItsExport) {
    share();
    m_builder.owner(m_exported, 1);
    importerWrites();
    expectNothing();
}

TEST_F(ImportTest, WhatALibraryGivesIsItsBusiness) {
    share("bytes", m_builder.stack({"/lib/libnccl.so.2!p2pSend", "/opt/app/train!main"}));
    m_builder.handOver("lend-read", m_exported, 0, kMiB, 0, 6 * kMs);
    importerWrites();
    expectNothing();
}

/// Thread 1 is one task on stream `a`, thread 2 another on stream `b`, by a rule of the user's.
class GuessedTest : public testing::Test {
protected:
    GuessedTest() {
        m_builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (2, 1, 4712, 0)");
        m_builder.taskSpan(m_builder.task("one"), 1, 0, 9'000 * kMs, "thread");
        m_builder.taskSpan(m_builder.task("two"), 2, 0, 9'000 * kMs, "thread");
    }
    void by(std::int64_t thread, std::int64_t stream) {
        m_program.onThread(thread);
        m_program.set(stream, m_buffer);
    }
    std::vector<Finding> found() { return overwritesIn(*m_program.load()); }

    CaptureBuilder m_builder;
    StreamProgram m_program{m_builder};
    std::int64_t m_a = m_program.stream();
    std::int64_t m_b = m_program.stream();
    std::int64_t m_event = m_program.event();
    std::int64_t m_buffer = m_program.allocate();
};

TEST_F(GuessedTest, SharedInTurnsIsNothing) {
    for (int turn = 0; turn < 3; ++turn) {
        by(2, m_b);
        m_program.record(m_event, m_b);
        m_program.wait(m_event, m_a);
        by(1, m_a);
        m_program.record(m_event, m_a);
        m_program.wait(m_event, m_b);
    }
    EXPECT_TRUE(found().empty());
}

TEST_F(GuessedTest, AWriteThatNothingOrdersIsOne) {
    by(2, m_b);
    m_program.record(m_event, m_b);
    m_program.wait(m_event, m_a);
    by(1, m_a);
    by(2, m_b);
    const auto findings = found();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].confidence, Confidence::Possible);
    const auto& facts = findings[0].evidence;
    EXPECT_NE(std::find(facts.begin(), facts.end(),
                        "Nothing orders the write against the owner's use of the same bytes."),
              facts.end());
}

}  // namespace
}  // namespace vramscope::tests
