// SPDX-License-Identifier: Apache-2.0
// The exact engine: what a kernel reads and writes, to the byte.
#include <fstream>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

class ExactTest : public JobTest {
protected:
    CommandResult recordExact(const std::vector<std::string>& words) {
        const CommandResult result = record(job(words), {"--engine", "exact"});
        EXPECT_EQ(result.exitCode, 0) << result.describe();
        m_capture.emplace(capturePath());
        return result;
    }
    /// What launches of a kernel did to buffers, by the size of the buffer.
    std::string accessesOf(const std::string& kernel) {
        return m_capture->table(
            "SELECT b.size_bytes, a.kind, a.buffer_offset, a.size_bytes FROM exact_accesses a JOIN "
            "exact_launches l "
            "USING (exact_launch_id) JOIN kernels k USING (kernel_id) JOIN buffers b USING (buffer_id) "
            "WHERE k.name = '" +
            kernel + "' ORDER BY l.enter_ns, l.exact_launch_id, b.size_bytes, a.kind");
    }

    /// Of the samples' kernels: where this text is.
    static int lineOf(const std::string& text) {
        std::ifstream source(VRAMSCOPE_SAMPLE_KERNELS);
        int number = 1;
        for (std::string line; std::getline(source, line); ++number) {
            if (line.find(text) != std::string::npos) return number;
        }
        return 0;
    }

    std::optional<OpenedCapture> m_capture;
};

TEST_F(ExactTest, SetsAreExactToTheByte) {
    const CommandResult result = recordExact({"exact-sets"});
    EXPECT_EQ(result.out, run(m_machine.command(job({"exact-sets"}))).out);
    EXPECT_EQ(m_capture->text("SELECT engine FROM processes"), "exact");
    EXPECT_EQ(accessesOf("multiply"), "4096|read|0|1024\n8192|write|1024|1024\n");
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM exact_launches"),
              m_capture->number("SELECT count(*) FROM launches"));
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM exact_accesses WHERE is_outside = 1"), 0);
}

TEST_F(ExactTest, ARunIntoTheNeighbourIsTwoAccesses) {
    recordExact({"exact-overrun"});
    // 4,096 bytes and the 512 behind them, which are the next buffer's.
    EXPECT_EQ(accessesOf("fill"), "4096|write|0|4096\n5120|write|0|512\n");
}

TEST_F(ExactTest, ARunIntoTheNeighbourIsAnOverflowWithItsLine) {
    recordExact({"exact-overrun"});
    const CommandResult check = run(m_machine.command({analyzerProgram(), "check", "--json", capturePath()}));
    EXPECT_EQ(check.exitCode, 1) << check.describe();
    EXPECT_NE(check.out.find("corruption.overflow"), std::string::npos) << check.describe();
    const CommandResult report = run(m_machine.command({analyzerProgram(), "report", capturePath()}));
    const std::string line = std::to_string(lineOf("if (i < count) data[i] = value;"));
    EXPECT_NE(report.out.find("It wrote there at sample_kernels.cu:" + line + "."), std::string::npos)
        << report.describe();
}

TEST_F(ExactTest, TheInstructionsOfWritesAreKept) {
    recordExact({"exact-sets"});
    EXPECT_EQ(m_capture->table(
                  "SELECT a.kind, f.function, f.line, t.line FROM exact_accesses a LEFT JOIN code_places f "
                  "ON f.code_place_id = first_place_id LEFT JOIN code_places t ON t.code_place_id = "
                  "last_place_id ORDER BY a.kind"),
              "read|||\nwrite|multiply|" + std::to_string(lineOf("out[i] = sum;")) + "|" +
                  std::to_string(lineOf("out[i] = sum;")) + "\n");
}

TEST_F(ExactTest, BytesOfTheDeadAreOutside) {
    recordExact({"exact-after-free"});
    EXPECT_EQ(m_capture->table(
                  "SELECT kind, size_bytes, buffer_id IS NULL FROM exact_accesses WHERE is_outside = 1"),
              "write|256|1\n");
    // It was given the pointer as well, so this is no chance.
    const CommandResult check = run(m_machine.command({analyzerProgram(), "check", "--json", capturePath()}));
    EXPECT_EQ(check.exitCode, 1) << check.describe();
    EXPECT_NE(check.out.find("corruption.use-after-free"), std::string::npos) << check.describe();
}

TEST_F(ExactTest, UseOfWhatAPoolTookBackIsProven) {
    const auto verdict = [&] {
        const CommandResult check =
            run(m_machine.command({analyzerProgram(), "check", "--json", capturePath()}));
        const bool isTold = check.out.find("corruption.use-after-free") != std::string::npos;
        return isTold ? check.exitCode.value_or(-1) : -1;
    };
    record(job({"exact-after-ordered-free"}));
    EXPECT_EQ(verdict(), 0);  // possible: the kernel was given the pointer
    std::filesystem::remove(capturePath());
    recordExact({"exact-after-ordered-free"});
    EXPECT_EQ(verdict(), 1);
}

TEST_F(ExactTest, NodesOfAGraphAreSeenOneByOne) {
    recordExact({"exact-graph"});
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM exact_launches WHERE is_graph_node = 1"), 4);
    EXPECT_EQ(accessesOf("fill"), "4096|write|0|1024\n4096|write|0|1024\n");
}

TEST_F(ExactTest, MoreLaunchesThanOnePlaceHolds) {
    recordExact({"exact-many", "5000"});
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM exact_launches"), 5000);
    EXPECT_EQ(
        m_capture->number("SELECT count(*) FROM exact_accesses WHERE kind = 'write' AND size_bytes = 4"),
        5000);
    EXPECT_EQ(m_capture->lostCount(), 0);
}

TEST_F(ExactTest, WithoutTheLibraryItSaysWhatIsMissing) {
    CommandLine line = recording(job({"exact-sets"}), {"--engine", "exact"});
    line.environment["VRAMSCOPE_SANITIZER"] = "/nowhere";
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    EXPECT_NE(result.err.find("libsanitizer-public.so was not found"), std::string::npos)
        << result.describe();
}

TEST_F(ExactTest, GuardsAreNotMixedIn) {
    const CommandResult result = record(job({"exact-sets"}), {"--engine", "exact", "--guard"});
    EXPECT_NE(result.exitCode, 0);
    EXPECT_NE(result.err.find("--engine exact"), std::string::npos) << result.describe();
}

}  // namespace
}  // namespace vramscope::tests
