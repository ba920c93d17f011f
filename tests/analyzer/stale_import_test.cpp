// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::tests {
namespace {

using detectors::detectAll;
using detectors::Finding;
using detectors::FindingClass;

/// Process 1 exports, process 2 imports.
class Sharing {
public:
    Sharing() { m_builder.process(2); }

    /// One round: allocated, opened, freed by the exporter; closed at `closeNs` or never.
    void round(std::int64_t startNs, std::optional<std::int64_t> closeNs,
               const std::string& matchedBy = "bytes") {
        const std::int64_t exported = m_builder.allocate({.bytes = 8 * kMiB,
                                                          .allocNs = startNs,
                                                          .freeNs = startNs + 5 * kMs,
                                                          .stack = m_allocates,
                                                          .freeStack = m_allocates});
        const std::int64_t mapping = m_builder.allocate({.process = 2,
                                                         .kind = "ipc",
                                                         .bytes = 8 * kMiB,
                                                         .allocNs = startNs + kMs,
                                                         .freeNs = closeNs,
                                                         .stack = m_opens});
        ++m_count;
        m_builder.exec(
            fmt::format("INSERT INTO ipc_handles(ipc_handle_id, process_id, kind, handle_hash, "
                        "buffer_id, get_count, get_ns) VALUES({}, 1, 'memory', {}, {}, 1, {})",
                        m_count, m_count, exported, startNs));
        m_builder.exec(fmt::format(
            "INSERT INTO ipc_imports(ipc_import_id, process_id, kind, handle_hash, ipc_handle_id, "
            "matched_by, "
            "buffer_id, open_ns, stack_id, close_ns) VALUES({}, 2, 'memory', {}, {}, '{}', {}, {}, {}, {})",
            m_count, m_count, m_count, matchedBy, mapping, startNs + kMs, m_opens,
            closeNs ? std::to_string(*closeNs) : "NULL"));
    }
    std::vector<Finding> all() { return detectAll(*m_builder.load()); }
    std::vector<Finding> found() { return findingsOf(all(), "sharing.stale-import"); }
    CaptureBuilder& builder() { return m_builder; }

private:
    CaptureBuilder m_builder;
    std::int64_t m_allocates = m_builder.stack({"/opt/app/train!produce", "/opt/app/train!main"});
    std::int64_t m_opens = m_builder.stack({"/opt/app/train!consume", "/opt/app/train!main"});
    std::int64_t m_count = 0;
};

TEST(StaleImport, MappingsThatOutliveTheExportersFreeAreToldOnce) {
    Sharing sharing;
    for (int i = 0; i < 4; ++i)
        sharing.round((10 + 10 * i) * kMs, std::nullopt);
    const auto all = sharing.all();
    const auto found = findingsOf(all, "sharing.stale-import");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].count, 4);
    EXPECT_EQ(found[0].bytes, 32 * kMiB);
    EXPECT_EQ(found[0].findingClass, FindingClass::Leak);
    EXPECT_EQ(found[0].confidence, detectors::Confidence::Proven);
    EXPECT_EQ(found[0].sentence,
              "pid 2 keeps 4 mappings, 32.0 MiB of memory of pid 4711 open that pid 4711 has freed.");
    EXPECT_TRUE(findingsOf(all, "leak.ipc-mapping").empty()) << "one fault is told once";
}

TEST(StaleImport, ClosedBeforeTheFreeIsNothing) {
    Sharing sharing;
    for (int i = 0; i < 4; ++i)
        sharing.round((10 + 10 * i) * kMs, (13 + 10 * i) * kMs);
    EXPECT_TRUE(sharing.found().empty());
}

TEST(StaleImport, ClosedALittleLateEachTimeDoesNotAddUp) {
    Sharing sharing;
    for (int i = 0; i < 4; ++i)
        sharing.round((10 + 10 * i) * kMs, (16 + 10 * i) * kMs);
    const auto found = sharing.found();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].findingClass, FindingClass::OneTime);
}

TEST(StaleImport, WhenBothShutDownItIsTeardown) {
    Sharing sharing;
    sharing.round(10 * kMs, 30 * kMs);
    const auto found = sharing.found();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].findingClass, FindingClass::TeardownOrder);
}

TEST(StaleImport, AGuessAboutWhoseItIsProvesNothing) {
    Sharing sharing;
    for (int i = 0; i < 4; ++i)
        sharing.round((10 + 10 * i) * kMs, std::nullopt, "size-and-order");
    EXPECT_TRUE(sharing.found().empty());
}

TEST(StaleImport, AnExporterThatEndedFreedNothing) {
    Sharing sharing;
    for (int i = 0; i < 4; ++i)
        sharing.round((10 + 10 * i) * kMs, std::nullopt);
    sharing.builder().exec("UPDATE buffers SET end_kind = 'process-ended' WHERE process_id = 1");
    EXPECT_TRUE(sharing.found().empty());
}

TEST(StaleImport, ClosingAnImportTwiceIsADoubleFree) {
    CaptureBuilder builder;
    builder.allocate({.kind = "ipc", .address = 0x7f1200000000, .allocNs = kMs, .freeNs = 2 * kMs});
    builder.failedCall("cuIpcCloseMemHandle", "free", 1, 3 * kMs, 0x7f1200000000, 0,
                       builder.stack({"/opt/app/train!close"}));
    const auto found = findingsOf(detectAll(*builder.load()), "corruption.double-free");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].confidence, detectors::Confidence::Proven);
    EXPECT_NE(found[0].sentence.find("was closed twice"), std::string::npos) << found[0].sentence;
}

}  // namespace
}  // namespace vramscope::tests
