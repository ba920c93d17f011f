// SPDX-License-Identifier: Apache-2.0
// The Python module vramscope, in a job that is recorded and in one that is not.
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

class PythonTaskTest : public JobTest {
protected:
    CommandLine withModule(CommandLine line) const {
        line.environment["PYTHONPATH"] = VRAMSCOPE_PYTHON_MODULE;
        line.environment["PYTHONDONTWRITEBYTECODE"] = std::string("1");
        return line;
    }
    static std::vector<std::string> script() {
        return {VRAMSCOPE_PYTHON, std::string(VRAMSCOPE_PYTHON_JOBS) + "/tasks.py"};
    }
};

TEST_F(PythonTaskTest, MarksAreRecorded) {
    const CommandResult result = run(withModule(recording(script(), {"-q"})));
    ASSERT_EQ(result.exitCode, 0) << result.describe();
    EXPECT_EQ(result.out, "passed through\nas in a backward pass\nTrue\n");
    OpenedCapture capture(capturePath());
    EXPECT_EQ(
        capture.table("SELECT size_bytes / 65536, t.name FROM buffers JOIN tasks t USING (task_id) WHERE "
                      "size_bytes < 1 << 20 ORDER BY 1"),
        "1|early\n2|trainer\n3|trainer\n4|trainer\n5|trainer\n6|" +
            std::filesystem::canonical(VRAMSCOPE_PYTHON).filename().string() + "\n7|trainer\n");
    EXPECT_EQ(capture.table("SELECT kind, offset_bytes, size_bytes, name FROM ownership JOIN tasks ON "
                            "tasks.task_id = to_task_id ORDER BY ownership_id"),
              "lend-read|0|131072|reader\nlend-end|0|256|reader\ngive|0|131072|heir\n");
    EXPECT_EQ(capture.table("SELECT name, size_bytes, end_ns IS NULL FROM sub_buffers"),
              "weights|131072|1\nmine|458752|0\n");
    EXPECT_EQ(capture.number("SELECT count(*) FROM phases WHERE kind = 'step'"), 1);
    EXPECT_EQ(capture.number("SELECT count(*) FROM task_spans WHERE basis = 'delegated' AND end_ns IS NULL"),
              0);
    EXPECT_GE(capture.number("SELECT count(*) FROM task_spans WHERE basis = 'delegated'"), 3);
    EXPECT_EQ(capture.number("SELECT count(*) FROM task_spans WHERE end_ns < start_ns"), 0);
}

TEST_F(PythonTaskTest, WithoutARecordingTheyDoNothing) {
    const CommandResult result = run(withModule(m_machine.command(script())));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    EXPECT_EQ(result.out, "passed through\nas in a backward pass\nFalse\n");
    EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace vramscope::tests
