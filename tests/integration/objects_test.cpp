// SPDX-License-Identifier: Apache-2.0
// Streams, captured graphs, imported events and references to primary contexts are seen to come and go;
// trims, access rights, context calls and module loads reach tables of their own; imported memory has its
// size.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

class ObjectsTest : public JobTest {
protected:
    void recordJob(const std::string& behaviour, const std::vector<std::string>& options = {}) const {
        const CommandResult result = record(job({behaviour}), options);
        EXPECT_EQ(result.exitCode, 0) << result.describe();
    }

    /// "rule confidence verdict count" of each finding, a line each, sorted.
    std::string findings(int expectedExit) const {
        const CommandResult result =
            run(m_machine.command({analyzerProgram(), "check", "--json", "job.vramscope"}));
        EXPECT_EQ(result.exitCode, expectedExit) << result.describe();
        const nlohmann::json report = nlohmann::json::parse(result.out, nullptr, false);
        if (!report.is_object()) return result.describe();
        std::vector<std::string> lines;
        for (const auto& finding : report.at("captures").at(0).at("findings")) {
            std::string line;
            for (const char* key : {"rule", "confidence", "verdict", "headline"})
                line += finding.at(key).get<std::string>() + ' ';
            lines.push_back(line.substr(0, line.size() - 1) + '\n');
        }
        std::sort(lines.begin(), lines.end());
        std::string text;
        for (const std::string& line : lines)
            text += line;
        return text;
    }
};

TEST_F(ObjectsTest, LostOnesAreFoundByKind) {
    recordJob("lose-objects");
    OpenedCapture capture(capturePath());
    EXPECT_EQ(
        capture.table("SELECT kind, count(*), min(create_stack_id IS NOT NULL) FROM objects WHERE end_kind = "
                      "'process-ended' GROUP BY kind"),
        "context-reference|5|1\ngraph|8|1\nstream|4|1\n");
    EXPECT_EQ(findings(1),
              "leak.object proven fail 4 context references\n"
              "leak.object proven fail 4 graphs\n"  // captured, and
              "leak.object proven fail 4 graphs\n"  // cloned
              "leak.object proven fail 4 streams\n");
}

TEST_F(ObjectsTest, BalancedOnesAreNothing) {
    recordJob("balance-objects");
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table("SELECT kind, end_kind, count(*) FROM objects GROUP BY kind, end_kind"),
              "context-reference|destroyed|4\n"
              "context-reference|process-ended|1\n"
              "graph|destroyed|12\n"
              "stream|destroyed|5\n");
    EXPECT_EQ(findings(0), "");
}

TEST_F(ObjectsTest, DestroyingTwiceIsProven) {
    recordJob("destroy-twice");
    const std::string text = findings(1);
    EXPECT_NE(text.find("corruption.double-free proven fail"), std::string::npos) << text;
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table("SELECT api, family FROM failed_calls ORDER BY enter_ns"),
              "cuGraphDestroy|free\ncuStreamDestroy|free\n");
}

TEST_F(ObjectsTest, PrimaryContextCallsAreRows) {
    recordJob("context-calls");
    OpenedCapture capture(capturePath());
    EXPECT_EQ(
        capture.table("SELECT kind, device_ordinal, reference_count, context_id IS NOT NULL, stack_id IS NOT "
                      "NULL FROM primary_context_calls ORDER BY enter_ns"),
        "retain|0|1|1|1\n"
        "retain|0|2|1|1\n"
        "reset|0|2|1|1\n"
        "release|0|1|1|1\n"
        "release|0|0|1|1\n"
        "retain|0|1|1|1\n"
        "release|0|0|1|1\n");
    EXPECT_EQ(
        capture.table("SELECT end_kind FROM objects WHERE kind = 'context-reference' ORDER BY object_id"),
        "context-destroyed\ncontext-destroyed\ndestroyed\n");
    EXPECT_EQ(capture.text("SELECT error_name FROM failed_calls"), "CUDA_ERROR_INVALID_CONTEXT");
}

TEST_F(ObjectsTest, TrimsAndAccessRightsAreRows) {
    recordJob("trim-and-protect");
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table(
                  "SELECT keep_bytes, t.stack_id IS NOT NULL, p.is_default, (SELECT reserved_bytes FROM "
                  "pool_samples s WHERE s.pool_id = t.pool_id AND s.time_ns >= t.exit_ns ORDER BY "
                  "s.time_ns LIMIT 1) FROM pool_trims t JOIN pools p USING (pool_id) ORDER BY t.enter_ns"),
              "33554432|1|1|33554432\n0|1|1|0\n");
    EXPECT_EQ(
        capture.table("SELECT size_bytes, location, location_number, device_id IS NOT NULL, access FROM "
                      "vmm_accesses ORDER BY vmm_access_id"),
        "2097152|device|0|1|read-write\n2097152|device|1|0|read\n");
    const CommandResult dump = run(m_machine.command({analyzerProgram(), "dump", "job.vramscope", "--table",
                                                      "pool_trims,vmm_accesses,primary_context_calls"}));
    for (const char* line : {"pool_trims pool_trim_id=1", "vmm_accesses vmm_access_id=2", "kind=\"retain\""})
        EXPECT_NE(dump.out.find(line), std::string::npos) << dump.describe();
}

TEST_F(ObjectsTest, ImportedMemoryAndEventsAreKnown) {
    recordJob("share-with-importer");
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table("SELECT size_bytes, end_kind FROM buffers WHERE kind = 'ipc'"),
              "67108864|freed\n");
    const std::string ofImport = " b WHERE b.kind = 'ipc' AND ";
    EXPECT_EQ(capture.number("SELECT count(*) FROM copies c, buffers" + ofImport +
                             "c.src_buffer_id = b.buffer_id AND c.src_offset = 8 << 20"),
              1);
    EXPECT_EQ(capture.number("SELECT count(*) FROM sets s, buffers" + ofImport +
                             "s.dst_buffer_id = b.buffer_id AND s.dst_offset = 4 << 20"),
              1);
    // Beyond its first 2 MiB page a pointer must not be taken for a number.
    EXPECT_EQ(
        capture.number("SELECT count(*) FROM launches l JOIN launch_arguments a USING (argument_set_id), "
                       "buffers" +
                       ofImport + "a.buffer_id = b.buffer_id AND a.\"offset\" = 40 << 20"),
        1);
    EXPECT_EQ(capture.table("SELECT end_kind, count(*) FROM objects WHERE kind = 'event' GROUP BY end_kind"),
              "destroyed|2\nprocess-ended|3\n");
    EXPECT_EQ(findings(1), "leak.object proven fail 3 events\n");
}

TEST_F(ObjectsTest, ModulesSayWhenWhenceAndHowLarge) {
    const std::string module = (simulatedLibraries() / "sim_test_kernels.module").string();
    const CommandResult result = record(job({"unload-modules", module}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table("SELECT name = '" + module +
                            "', size_bytes > 0, load_ns > 0, load_api, load_stack_id IS NOT NULL, "
                            "unload_ns > load_ns FROM gpu_modules ORDER BY load_ns"),
              "1|1|1|cuModuleLoad|1|1\n"
              "1|1|1|cuLibraryLoadFromFile|1|1\n"
              "1|1|1|cuModuleLoad|1|\n");
}

TEST_F(ObjectsTest, AnImageIsNamedAfterTheProgramFileItLiesIn) {
    recordJob("share-with-importer");
    OpenedCapture capture(capturePath());
    const std::string program = std::filesystem::canonical(jobProgram()).string();
    EXPECT_EQ(capture.text("SELECT name FROM gpu_modules"), program);
    EXPECT_EQ(capture.text("SELECT needed_by FROM gpu_modules"), program);
    EXPECT_EQ(capture.table("SELECT count(*), load_api FROM gpu_modules"), "1|cuModuleLoadData\n");
}

}  // namespace
}  // namespace vramscope::tests
