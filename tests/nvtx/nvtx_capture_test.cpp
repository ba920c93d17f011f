// SPDX-License-Identifier: Apache-2.0
// From NVTX's headers in a job to the rows of its capture.

#include <gtest/gtest.h>

#include "tests/support/opened_capture.h"
#include "tests/support/simulated_machine.h"

namespace vramscope::tests {
namespace {

CommandLine recorded(const SimulatedMachine& machine, std::vector<std::string> options = {}) {
    options.insert(options.end(), {"-o", "nvtx.vramscope"});
    CommandLine line = machine.recorded(options, {VRAMSCOPE_NVTX_JOB});
    line.environment["NVTX_INJECTION64_PATH"] = std::nullopt;
    return line;
}

class NvtxCapture : public testing::Test {
protected:
    // One recording serves all tests.
    static void SetUpTestSuite() {
        s_machine = std::make_unique<SimulatedMachine>();
        s_result = run(recorded(*s_machine));
    }
    static void TearDownTestSuite() { s_machine.reset(); }
    void SetUp() override {
        ASSERT_EQ(s_result.exitCode, 0) << s_result.describe();
        m_capture = std::make_unique<OpenedCapture>(*s_machine / "nvtx.vramscope");
        ASSERT_TRUE(m_capture->isOpen());
    }

    static std::unique_ptr<SimulatedMachine> s_machine;
    static CommandResult s_result;
    std::unique_ptr<OpenedCapture> m_capture;
};

std::unique_ptr<SimulatedMachine> NvtxCapture::s_machine;
CommandResult NvtxCapture::s_result;

TEST_F(NvtxCapture, PhasesAreRecordedOnce) {
    EXPECT_EQ(
        m_capture->table(
            "SELECT kind, domain, name, count(*) FROM phases GROUP BY 1, 2, 3 ORDER BY min(start_ns)"),
        "process-range||whole run|1\nrange||epoch|1\nrange|training|step|3\nmark||halb fertig: \u00bd|1\n"
        "range||never closed|1\n");
    EXPECT_EQ(m_capture->lostCount(), 0);
}

TEST_F(NvtxCapture, PhasesEndWhereTheJobEndedThem) {
    EXPECT_EQ(m_capture->table("SELECT name FROM phases WHERE end_ns IS NULL ORDER BY start_ns"),
              "halb fertig: \u00bd\nnever closed\n");
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM phases WHERE end_ns < start_ns"), 0);
    EXPECT_EQ(m_capture->number(
                  "SELECT count(*) FROM phases s, phases e WHERE s.name = 'step' AND e.name = 'epoch' AND "
                  "s.start_ns >= e.start_ns AND s.end_ns <= e.end_ns"),
              3);
}

TEST_F(NvtxCapture, AllocationsLieInTheirPhases) {
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM buffers b JOIN phases p ON p.name = 'step' AND "
                                "b.alloc_ns BETWEEN p.start_ns AND p.end_ns WHERE b.size_bytes = 1 << 20"),
              3);
}

TEST_F(NvtxCapture, RangesOfTheDomainOfTasksAreTasks) {
    EXPECT_EQ(m_capture->table("SELECT size_bytes >> 20, name FROM buffers JOIN tasks USING (task_id) WHERE "
                               "size_bytes > 1 << 20 ORDER BY 1"),
              "2|loader\n3|loader\n4|nvtx_job\n");
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM phases WHERE domain = 'vramscope.task'"), 0);
}

TEST(NvtxJob, RangesAreTasksWhereTheUserSaysSo) {
    const SimulatedMachine machine;
    const CommandResult result =
        run(recorded(machine, {"--task-by", "range:^no such", "--task-by", "range:^(epo)ch"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(machine / "nvtx.vramscope");
    EXPECT_EQ(capture.table("SELECT size_bytes >> 20, name, count(*) FROM buffers JOIN tasks USING (task_id) "
                            "GROUP BY 1, 2 ORDER BY 1"),
              "1|epo|3\n2|loader|1\n3|loader|1\n4|nvtx_job|1\n");
    EXPECT_EQ(capture.table("SELECT basis, precedence FROM task_spans WHERE basis = 'range'"), "range|3\n");
}

TEST_F(NvtxCapture, StreamsAndThreadsHaveTheirNames) {
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM streams WHERE name = 'copies'"), 1);
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM threads WHERE name = 'data loader number one'"), 1);
}

TEST_F(NvtxCapture, TheForkedChildIsNotRecorded) {
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM processes"), 1);
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM phases WHERE name LIKE '%child%'"), 0);
}

TEST(NvtxJob, RunsWithoutUs) {
    const SimulatedMachine machine;
    CommandLine line = machine.command({VRAMSCOPE_NVTX_JOB});
    line.environment["NVTX_INJECTION64_PATH"] = injectedLibraryFile().string();
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    EXPECT_EQ(result.out + result.err, "") << "loaded without a recording, the library says and does nothing";
}

TEST(NvtxJob, AnotherToolKeepsTheNvtxDoor) {
    const SimulatedMachine machine;
    CommandLine line = recorded(machine);
    line.environment["NVTX_INJECTION64_PATH"] = "/opt/other/libtool.so";
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    EXPECT_NE(result.err.find("NVTX_INJECTION64_PATH is left at /opt/other/libtool.so"), std::string::npos)
        << result.err;
    OpenedCapture capture(machine / "nvtx.vramscope");
    EXPECT_EQ(capture.number("SELECT count(*) FROM phases"), 0);
    EXPECT_GE(capture.number("SELECT count(*) FROM buffers"), 3) << "memory is recorded all the same";
}

}  // namespace
}  // namespace vramscope::tests
