// SPDX-License-Identifier: Apache-2.0
// Python jobs that end with an exception nobody catches: its type and lines are recorded, and the job ends as
// it would have without us. VRAMSCOPE_TEST_PYTHON names another interpreter to run them with.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

namespace fs = std::filesystem;

class PythonExceptionTest : public JobTest {
protected:
    static std::string scriptFile(const std::string& name = "exceptions.py") {
        return (fs::path(VRAMSCOPE_PYTHON_JOBS) / name).string();
    }
    static std::string python() {
        const char* other = std::getenv("VRAMSCOPE_TEST_PYTHON");
        return other != nullptr ? other : VRAMSCOPE_PYTHON;
    }
    /// Number of the line that ends in "# REMARK", as text.
    static std::string lineOf(const std::string& remark, const std::string& file = "exceptions.py") {
        std::ifstream source(scriptFile(file));
        int number = 1;
        for (std::string line; std::getline(source, line); ++number) {
            if (line.ends_with("# " + remark)) return std::to_string(number);
        }
        ADD_FAILURE() << "no line '" << remark << "' in " << file;
        return "";
    }

    CommandResult recordWay(const std::string& way) const {
        return record({python(), scriptFile(), way}, {"-q"});
    }
    CommandResult runUnrecorded(const std::string& way) const {
        return run(m_machine.command({python(), scriptFile(), way}));
    }
    /// The job ends as it does without us, with the same words.
    void expectSameAsUnrecorded(const std::string& way) const {
        const CommandResult recorded = recordWay(way);
        const CommandResult alone = runUnrecorded(way);
        EXPECT_EQ(recorded.exitCode, alone.exitCode) << recorded.describe();
        EXPECT_EQ(recorded.out, alone.out) << recorded.describe();
        EXPECT_EQ(recorded.err, alone.err) << recorded.describe();
    }
    std::string exceptions(const std::string& columns = "type, file, line, script_file, script_line") const {
        OpenedCapture capture(capturePath());
        return capture.table("SELECT " + columns + " FROM job_exceptions");
    }
    std::string ownError() const {
        const std::string line = lineOf("raised in the script");
        return "OwnError|" + scriptFile() + "|" + line + "|" + scriptFile() + "|" + line + "\n";
    }
};

TEST_F(PythonExceptionTest, InTheScript) {
    expectSameAsUnrecorded("in_the_script");
    EXPECT_EQ(exceptions(), ownError());
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number("SELECT count(*) FROM job_exceptions e JOIN threads t USING (thread_id) JOIN "
                             "processes p ON p.process_id = e.process_id WHERE t.tid = p.pid AND e.time_ns "
                             "<= p.end_ns AND repeat_count = 1"),
              1);
    EXPECT_EQ(capture.lostCount(), 0);
}

TEST_F(PythonExceptionTest, InAModuleOfTheJob) {
    expectSameAsUnrecorded("in_a_module");
    EXPECT_EQ(exceptions(), "helper.Outer.OutOfMemory|" + scriptFile("helper.py") + "|" +
                                lineOf("raised in the module", "helper.py") + "|" + scriptFile() + "|" +
                                lineOf("the script's own line") + "\n");
}

TEST_F(PythonExceptionTest, ItsMessageIsNotKept) {
    recordWay("in_a_module");
    std::ifstream file(capturePath(), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(content.find("OutOfMemory"), std::string::npos);
    EXPECT_EQ(content.find("secret-value"), std::string::npos);
}

TEST_F(PythonExceptionTest, IsInTheReport) {
    recordWay("in_a_module");
    const auto report = [this](const std::string& option) {
        return run(m_machine.command({analyzerProgram().string(), "report", capturePath().string(), option}));
    };
    const CommandResult text = report("--color=never");
    const std::string told =
        "exceptions.py) ended with an uncaught helper.Outer.OutOfMemory at "
        "exceptions.py:" +
        lineOf("the script's own line") +
        " (raised at helper.py:" + lineOf("raised in the module", "helper.py") + "), code 1";
    EXPECT_NE(text.out.find(told), std::string::npos) << text.describe();
    const CommandResult json = report("--json");
    const auto process = nlohmann::json::parse(json.out, nullptr, false).at("processes").at(0);
    const auto& exception = process.at("uncaught_exceptions").at(0);
    EXPECT_EQ(exception.at("type"), "helper.Outer.OutOfMemory");
    EXPECT_EQ(exception.at("file"), scriptFile("helper.py"));
    EXPECT_EQ(exception.at("script_line"), std::stoi(lineOf("the script's own line")));
    const CommandResult dump =
        run(m_machine.command({analyzerProgram().string(), "dump", capturePath().string()}));
    EXPECT_NE(dump.out.find("job_exceptions"), std::string::npos) << dump.describe();
}

TEST_F(PythonExceptionTest, WhoeverHoldsTheInterpretersLock) {
    for (const char* way : {"with_the_lock_held", "after_a_start_in_a_thread"}) {
        SCOPED_TRACE(way);
        fs::remove(capturePath());
        expectSameAsUnrecorded(way);
        EXPECT_EQ(exceptions("type"), "OwnError\n");
    }
}

TEST_F(PythonExceptionTest, NothingWhereNothingIsUncaught) {
    for (const char* way : {"caught", "by_exit"}) {
        SCOPED_TRACE(way);
        fs::remove(capturePath());
        expectSameAsUnrecorded(way);
        EXPECT_EQ(exceptions(), "");
    }
}

TEST_F(PythonExceptionTest, NothingBeforeCudaIsUsed) {
    expectSameAsUnrecorded("before_cuda");
}

// threading and multiprocessing catch what ends a thread or a child, and print it by themselves.
TEST_F(PythonExceptionTest, WhatPythonsOwnLibrariesCatchIsNotSeen) {
    recordWay("in_a_thread");
    EXPECT_EQ(exceptions(), "");
    fs::remove(capturePath());
    EXPECT_EQ(recordWay("in_a_worker").exitCode, 1);
    EXPECT_EQ(exceptions(), "");
}

TEST_F(PythonExceptionTest, HooksOfTheJobWorkAsBefore) {
    expectSameAsUnrecorded("with_an_own_hook");
    EXPECT_EQ(exceptions("type"), "OwnError\n");
    fs::remove(capturePath());
    expectSameAsUnrecorded("with_a_hook_that_exits");
    EXPECT_EQ(exceptions("type"), "OwnError\n");
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number("SELECT exit_code FROM processes"), 9);
}

TEST_F(PythonExceptionTest, AuditHooksOfTheJobAreObeyed) {
    expectSameAsUnrecorded("with_an_audit_hook");
    EXPECT_EQ(exceptions("type, file"), "OwnError|\n") << "the job forbids to look at its frames";
    fs::remove(capturePath());
    expectSameAsUnrecorded("with_a_hook_against_hooks");
    EXPECT_EQ(exceptions(), "") << "the job forbids new hooks";
}

TEST_F(PythonExceptionTest, OddOnesDoNoHarm) {
    recordWay("too_deep");
    EXPECT_EQ(exceptions("type, line"), "RecursionError|" + lineOf("recursion") + "\n");
    fs::remove(capturePath());
    expectSameAsUnrecorded("with_an_odd_class");
    EXPECT_EQ(exceptions("type"), "OddError\n");
    fs::remove(capturePath());
    recordWay("in_an_odd_file");
    EXPECT_EQ(exceptions("type, file"), "ValueError|not\xEF\xBF\xBDtext nor a line\n");
}

TEST_F(PythonExceptionTest, AnInterruptIsTold) {
    EXPECT_EQ(recordWay("by_interrupt").exitCode, 130);
    EXPECT_EQ(exceptions("type"), "KeyboardInterrupt\n");
}

TEST_F(PythonExceptionTest, AForkedChildStartsBlank) {
    expectSameAsUnrecorded("in_a_fork");
    EXPECT_EQ(exceptions("type"), "OwnError\n") << "the child joined the session by itself";
    fs::remove(capturePath());
    expectSameAsUnrecorded("in_a_blank_fork");
    EXPECT_EQ(exceptions(), "") << "the child is not recorded, though it has its parent's hook";
}

}  // namespace
}  // namespace vramscope::tests
