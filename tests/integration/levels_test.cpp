// SPDX-License-Identifier: Apache-2.0
// What --record and --launch-stacks put into the capture.
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

class LevelsTest : public JobTest {
protected:
    void recordWith(const std::vector<std::string>& options) {
        const CommandResult result = record(job({"some-of-each"}), options);
        EXPECT_EQ(result.exitCode, 0) << result.describe();
        m_capture.emplace(capturePath());
    }
    std::int64_t rowsIn(const std::string& table) {
        return m_capture->number("SELECT count(*) FROM " + table);
    }
    void expectRows(int launches, int copies, int sets, bool hasSyncs) {
        EXPECT_EQ(m_capture->number(kBufferCount), 1);
        EXPECT_EQ(rowsIn("launches"), launches);
        EXPECT_EQ(rowsIn("copies"), copies);
        EXPECT_EQ(rowsIn("sets"), sets);
        EXPECT_EQ(rowsIn("syncs") > 0, hasSyncs);
    }

    std::optional<OpenedCapture> m_capture;
};

TEST_F(LevelsTest, AllocationsOnly) {
    recordWith({"--record=allocs"});
    expectRows(0, 0, 0, false);
    EXPECT_EQ(m_capture->text("SELECT value FROM meta WHERE key = 'record_mode'"), "allocs");
}

TEST_F(LevelsTest, LaunchesAndCopiesToo) {
    recordWith({"--record=launches"});
    expectRows(3, 1, 1, false);
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM launches WHERE stack_id IS NOT NULL"), 0);
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM copies WHERE stack_id IS NULL"), 0);
}

TEST_F(LevelsTest, AllIsTheDefault) {
    recordWith({});
    expectRows(3, 1, 1, true);
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM syncs WHERE api = 'cuCtxSynchronize'"), 1);
}

TEST_F(LevelsTest, LaunchStacksNameTheLauncher) {
    recordWith({"--launch-stacks"});
    expectRows(3, 1, 1, true);
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM launches WHERE stack_id IS NOT NULL"), 3);
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM copies WHERE stack_id IS NOT NULL"), 1);
    // All three come from one place.
    EXPECT_EQ(m_capture->number("SELECT count(DISTINCT stack_id) FROM launches"), 1);
    EXPECT_EQ(m_capture->number(
                  "WITH RECURSIVE callers(stack_id, frame_id) AS ("
                  "SELECT stack_id, frame_id FROM stacks WHERE stack_id IN (SELECT stack_id FROM launches) "
                  "UNION SELECT s.parent_stack_id, p.frame_id FROM callers c JOIN stacks s USING (stack_id) "
                  "JOIN stacks p ON p.stack_id = s.parent_stack_id) "
                  "SELECT count(*) FROM callers JOIN frames USING (frame_id) "
                  "WHERE function LIKE '%launchFill%'"),
              1);
}

TEST_F(LevelsTest, FirstAndLaterLaunchesAreRecordedAlike) {
    const CommandResult result = record(job({"launch-again"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number("SELECT count(*) FROM launches"), 8);
    EXPECT_EQ(
        capture.text(
            "SELECT DISTINCT grid_x || ',' || grid_y || ',' || grid_z || ' ' || block_x || ',' || block_y || "
            "',' || block_z FROM launches"),
        "3,2,1 16,1,1");
    EXPECT_EQ(
        capture.text(
            "SELECT group_concat(DISTINCT pointers) FROM (SELECT group_concat(parameter_offset || ':' || "
            "offset) "
            "AS pointers FROM launches JOIN launch_arguments USING (argument_set_id) GROUP BY enter_ns)"),
        "0:0,8:256,16:512");
    EXPECT_EQ(capture.number("SELECT count(DISTINCT buffer_id) FROM launch_arguments"), 3);
}

TEST_F(LevelsTest, EachThreadHasADefaultStreamOfItsOwn) {
    const CommandResult result = record(job({"thread-streams"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    const std::string streams = capture.table("SELECT stream_id, handle, thread_id, context_id FROM streams");
    EXPECT_EQ(capture.number("SELECT count(*) FROM streams WHERE handle = 2"), 3) << streams;
    EXPECT_EQ(capture.number("SELECT count(DISTINCT thread_id) FROM streams WHERE handle = 2"), 3) << streams;
    EXPECT_EQ(capture.number("SELECT count(*) FROM streams WHERE handle IN (0, 1)"), 1) << streams;
    // Launch, set, copy, allocation, free and wait of a thread are all on its stream.
    for (const char* of :
         {"SELECT count(*) FROM launches e JOIN streams s ON s.stream_id = e.stream_id",
          "SELECT count(*) FROM copies e JOIN streams s ON s.stream_id = e.stream_id",
          "SELECT count(*) FROM buffers e JOIN streams s ON s.stream_id = e.stream_id",
          "SELECT count(*) FROM buffers e JOIN streams s ON s.stream_id = e.free_stream_id"}) {
        EXPECT_EQ(capture.number(std::string(of) + " WHERE s.handle = 2"), 3) << of;
    }
    EXPECT_EQ(capture.number("SELECT count(*) FROM launches e JOIN streams s ON s.stream_id = e.stream_id "
                             "WHERE s.thread_id = e.thread_id"),
              3);
    EXPECT_EQ(capture.number(
                  "SELECT bytes FROM sets e JOIN streams s ON s.stream_id = e.stream_id WHERE s.handle = 0"),
              1 << 20);
}

TEST_F(LevelsTest, CaptureOnAThreadsDefaultStreamIsNoWork) {
    const CommandResult result = record(job({"capture-thread-stream"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.text("SELECT group_concat(bytes) FROM sets"), "200");
}

}  // namespace
}  // namespace vramscope::tests
