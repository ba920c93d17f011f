// SPDX-License-Identifier: Apache-2.0
// From marks in a job to the owners in its capture.
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

class TaskTest : public JobTest {
protected:
    static std::vector<std::string> job(const std::string& way) { return {VRAMSCOPE_TASK_JOB, way}; }

    /// "UNITS TASK" of each buffer, by size.
    static std::string owners(OpenedCapture& capture) {
        return capture.table(
            "SELECT size_bytes / 65536, name FROM buffers JOIN tasks USING (task_id) ORDER BY 1");
    }
    std::string ownersOf(const std::string& way, const std::vector<std::string>& options = {}) {
        const CommandResult result = record(job(way), options);
        EXPECT_EQ(result.exitCode, 0) << result.describe();
        OpenedCapture capture(capturePath());
        EXPECT_EQ(capture.lostCount(), 0);
        return owners(capture);
    }
    CommandResult report(const std::vector<std::string>& options) const {
        std::vector<std::string> words{analyzerProgram().string(), "report", capturePath().string()};
        words.insert(words.end(), options.begin(), options.end());
        return run(m_machine.command(words));
    }
};

TEST_F(TaskTest, NestAndCountFromBeforeCuda) {
    EXPECT_EQ(ownersOf("nested"), "1|outer\n2|inner\n3|outer\n4|task_job\n5|task_job\n");
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table("SELECT name, basis, level, end_ns > task_spans.start_ns FROM task_spans JOIN "
                            "tasks USING (task_id) ORDER BY task_spans.start_ns"),
              "outer|mark|0|1\ninner|mark|1|1\n");
}

TEST_F(TaskTest, AThreadWithoutOneTakesTheOnlyActiveOne) {
    EXPECT_EQ(ownersOf("bystander"), "1|left\n2|left\n3|right\n4|unassigned\n5|left\n6|task_job\n");
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table("SELECT name, basis FROM task_spans JOIN tasks USING (task_id) WHERE thread_id "
                            "IS NULL ORDER BY task_spans.start_ns"),
              "left|only-active\nunassigned|unassigned\nleft|only-active\n");
}

TEST_F(TaskTest, PiecesAndHandOversAreKept) {
    ASSERT_EQ(ownersOf("pieces"), "8|allocator\n");
    OpenedCapture capture(capturePath());
    EXPECT_EQ(
        capture.table("SELECT kind, s.name, offset_bytes / 65536, size_bytes / 65536, t.name, end_ns IS "
                      "NOT NULL FROM sub_buffers s LEFT JOIN tasks t USING (task_id) ORDER BY "
                      "sub_buffer_id"),
        "heap|arena|0|8||1\nblock|first|1|1|user|1\nblock||3|1|user|1\nregion|named in C|0|0|from C|0\n");
    EXPECT_EQ(
        capture.table("SELECT kind, buffer_id, offset_bytes / 65536, size_bytes / 65536, g.name, b.name "
                      "FROM ownership JOIN tasks g ON g.task_id = to_task_id JOIN tasks b ON b.task_id = "
                      "by_task_id ORDER BY ownership_id"),
        "lend-read|1|0|2|user|allocator\nlend-end|1|0|2|user|allocator\n"
        "give|1|7|1|heir|allocator\ngive||0|0|nobody|allocator\n");
    EXPECT_EQ(
        capture.table("SELECT name, end_ns IS NOT NULL FROM phases WHERE kind = 'step' ORDER BY start_ns"),
        "step|1\nsecond|0\n");
    EXPECT_EQ(capture.number("SELECT count(*) FROM ownership WHERE stack_id IS NULL"), 0);
}

TEST_F(TaskTest, HeapsGoOnOverMappingsAndTellWhatTheyCouldNotServe) {
    const CommandResult result = record(job("heaps"));
    ASSERT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table("SELECT kind, name, buffer_id, offset_bytes / 65536, size_bytes / 65536 FROM "
                            "sub_buffers ORDER BY sub_buffer_id"),
              "heap|reserved|1|0|64\nblock|in the second mapping|2|16|1\nheap|cut|3|0|8\n");
    EXPECT_EQ(capture.table(
                  "SELECT api, family, error, f.size_bytes / 1048576, repeat_count, f.address = s.address, "
                  "f.stack_id IS NOT NULL, f.thread_id IS NOT NULL FROM failed_calls f JOIN sub_buffers s "
                  "ON s.name = 'reserved' ORDER BY failed_call_id"),
              "vramscope_heap_failed|heap|0|5|3|1|1|1\nvramscope_heap_failed|heap|0|1|1|1|1|1\n");
}

TEST_F(TaskTest, AccessBetweenDevicesIsKept) {
    CommandLine line = recording(job("peers"));
    line.environment["VRAMSCOPE_SIM_DEVICES"] = "2";
    const CommandResult result = run(line);
    ASSERT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(
        capture.table("SELECT p.device_id, p.peer_device_id, a.device_id = p.device_id, b.device_id = "
                      "p.peer_device_id, disable_ns > enable_ns FROM peer_accesses p JOIN contexts a ON "
                      "a.context_id = p.context_id JOIN contexts b ON b.context_id = p.peer_context_id "
                      "ORDER BY enable_ns"),
        "1|2|1|1|1\n2|1|1|1|\n");
}

TEST_F(TaskTest, RulesMakeTasksWhereTheProgramNamesNone) {
    EXPECT_EQ(ownersOf("unmarked", {"--task-by", "stream"}),
              "1|stream 1\n2|stream 2\n3|task_job\n4|task_job\n");
    std::filesystem::remove(capturePath());
    EXPECT_EQ(ownersOf("unmarked", {"--task-by", "context"}),
              "1|context 1\n2|context 1\n3|context 2\n4|context 1\n");
    std::filesystem::remove(capturePath());
    EXPECT_EQ(ownersOf("unmarked", {"--task-by", "process", "--task-by", "thread"}),
              "1|task_job\n2|task_job\n3|task_job\n4|task_job\n");
    std::filesystem::remove(capturePath());
    ownersOf("unmarked", {"--task-by", "stream", "--task-by", "thread"});
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number("SELECT count(DISTINCT task_id) FROM buffers"), 3) << "two streams and a thread";
    EXPECT_EQ(capture.table("SELECT value FROM meta WHERE key LIKE 'task_by.%' ORDER BY key"),
              "stream\nthread\n");
}

TEST_F(TaskTest, MarksComeBeforeRules) {
    EXPECT_EQ(ownersOf("nested", {"--task-by", "context"}),
              "1|outer\n2|inner\n3|outer\n4|context 1\n5|context 1\n");
}

TEST_F(TaskTest, ARuleThatIsNoneIsAUsageError) {
    for (const char* rule : {"colour", "range:(", ""}) {
        const CommandResult result = record(job("nested"), {"--task-by", rule});
        EXPECT_EQ(result.exitCode, 2) << result.describe();
        EXPECT_FALSE(std::filesystem::exists(capturePath()));
    }
}

TEST_F(TaskTest, SeveralJobsAreOneCapture) {
    const std::string program = VRAMSCOPE_TASK_JOB;
    const auto withJobs = [&](const std::vector<std::string>& jobs) {
        std::vector<std::string> words{captureProgram().string(), "run", "-o", "job.vramscope"};
        for (const std::string& one : jobs)
            words.insert(words.end(), {"--job", one});
        return run(m_machine.command(words));
    };
    const CommandResult result =
        withJobs({"train=" + program + " ends-with-0", "serve=" + program + " ends-with-4; exit 4",
                  "late=" + program + " ends-with-3"});
    EXPECT_EQ(result.exitCode, 4) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.table("SELECT name, origin, exit_code FROM tasks JOIN buffers USING (task_id) JOIN "
                            "processes ON processes.process_id = buffers.process_id ORDER BY name"),
              "late|job|3\nserve|job|4\ntrain|job|0\n");
    EXPECT_NE(report({"--by", "task"}).out.find("train"), std::string::npos);
    EXPECT_EQ(withJobs({"no equals sign"}).exitCode, 2);
    EXPECT_EQ(withJobs({}).exitCode, 2) << "neither a job nor --job";
    EXPECT_EQ(record(job("nested"), {"--job", "a=true"}).exitCode, 2) << "both";
}

TEST_F(TaskTest, OpenTasksOutliveTheirRecorder) {
    RunningCommand command(recording(job("outlives"), {"-q"}));
    ASSERT_TRUE(command.waitForOutput("ready"));
    std::this_thread::sleep_for(std::chrono::milliseconds(400));  // until that is committed
    command.signal(SIGKILL);
    command.wait();
    for (int i = 0; i < 600 && !std::filesystem::exists(m_machine / "ended"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::filesystem::path session;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
        std::error_code error;
        if (std::filesystem::read_symlink(entry.path() / "capture", error) == capturePath())
            session = entry.path();
    }
    const CommandResult result =
        run(m_machine.command({captureProgram().string(), "recover", session.string()}));
    ASSERT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(owners(capture), "1|outer\n2|inner\n3|outer\n4|task_job\n");
    EXPECT_EQ(capture.number("SELECT count(*) FROM task_spans"), 2);
    EXPECT_EQ(capture.number("SELECT count(*) FROM task_spans WHERE end_ns IS NULL"), 0);
    EXPECT_EQ(capture.number("SELECT count(*) FROM tasks WHERE name IN ('outer', 'inner')"), 2);
    EXPECT_EQ(capture.number("SELECT end_ns IS NOT NULL FROM sub_buffers WHERE kind = 'block'"), 1);
    EXPECT_EQ(capture.table("SELECT name, end_ns IS NOT NULL FROM phases ORDER BY start_ns"),
              "first|1\nsecond|0\n");
}

TEST_F(TaskTest, AJobThatNobodyRecordsIsNotHeard) {
    const CommandResult alone = run(m_machine.command(job("heard")));
    EXPECT_EQ(alone.out, "heard 0\n") << alone.describe();
    EXPECT_EQ(record(job("heard"), {"-q"}).out, "heard 1\n");
    CommandLine broken = m_machine.command(job("heard"));
    broken.environment["VRAMSCOPE_LIBRARY"] = "/nowhere/libvramscope.so";
    EXPECT_EQ(run(broken).out, "heard 0\n");
}

TEST_F(TaskTest, ABuffersLifeIsTold) {
    record(job("pieces"));
    OpenedCapture capture(capturePath());
    const std::string name = capture.text("SELECT printf('b%x.%d', address, generation) FROM buffers");
    const CommandResult story = report({"--buffer", name});
    EXPECT_EQ(story.exitCode, 0) << story.describe();
    for (const char* part :
         {"allocated by allocator with cuMemAlloc", "declared a heap \"arena\"",
          "handed out to user as \"first\"", "lent to user for reading, by allocator",
          "given to heir, by allocator", "16 bytes at offset 0x0 named \"named in C\" by from C",
          "still live when its process ended"})
        EXPECT_NE(story.out.find(part), std::string::npos) << part << "\n" << story.out;
    const std::string inside = capture.text("SELECT printf('0x%x', address + 70000) FROM buffers");
    EXPECT_EQ(report({"--buffer", inside}).out, story.out);
    EXPECT_EQ(report({"--buffer", "b1.1"}).exitCode, 2);
    EXPECT_EQ(report({"--buffer", "weights"}).exitCode, 2);
    const CommandResult owners = report({"--owners"});
    EXPECT_NE(owners.out.find("allocator"), std::string::npos) << owners.describe();
    EXPECT_NE(owners.out.find("heir"), std::string::npos) << owners.describe();
    EXPECT_EQ(report({"--owners", "--json"}).exitCode, 0);
}

}  // namespace
}  // namespace vramscope::tests
