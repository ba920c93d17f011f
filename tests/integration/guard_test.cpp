// SPDX-License-Identifier: Apache-2.0
// Guard bytes behind allocations: they see what is written there, and the job sees nothing of them.
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

class GuardTest : public JobTest {
protected:
    CommandResult recordGuarded(const std::vector<std::string>& words, const std::string& guard = "--guard") {
        const CommandResult result = record(job(words), {guard});
        EXPECT_EQ(result.exitCode, 0) << result.describe();
        m_capture.emplace(capturePath());
        return result;
    }
    /// What the job prints without us.
    std::string bareOutput(const std::vector<std::string>& words) {
        return run(m_machine.command(job(words))).out;
    }

    std::optional<OpenedCapture> m_capture;
};

constexpr const char* kHits = "SELECT count(*) FROM guard_hits";

TEST_F(GuardTest, TheJobLearnsTheSizesItAskedFor) {
    const CommandResult result = recordGuarded({"ask-sizes"});
    EXPECT_EQ(result.out, bareOutput({"ask-sizes"}));
    EXPECT_EQ(m_capture->number("SELECT size_bytes FROM buffers WHERE kind = 'device'"), 1000);
    EXPECT_EQ(m_capture->number(kHits), 0);
}

TEST_F(GuardTest, WritesPastOrderedAndKeptMemoryAreSeen) {
    recordGuarded({"overrun-ordered"});
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM buffers WHERE kind = 'async'"), 20);
    EXPECT_EQ(m_capture->table("SELECT first_offset, changed_bytes FROM guard_hits"), "0|100\n0|100\n");
    // The first hit is about the eighth of the ordered blocks, though its address was given out again and
    // again.
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM buffers b WHERE b.kind = 'async' AND b.alloc_ns < "
                                "(SELECT min(alloc_ns) FROM guard_hits)"),
              7);
}

TEST_F(GuardTest, SlackAloneNeedsNoMoreMemory) {
    recordGuarded({"overrun-ordered"}, "--guard=slack");
    // 1,000 bytes leave 24 up to the next multiple of 512.
    EXPECT_EQ(m_capture->table("SELECT first_offset, changed_bytes FROM guard_hits"), "0|24\n0|24\n");
}

TEST_F(GuardTest, CapturesAreLeftAlone) {
    const CommandResult result = recordGuarded({"capture-while-allocating", "200"});
    EXPECT_NE(result.out.find("broken captures 0"), std::string::npos) << result.describe();
    EXPECT_EQ(m_capture->number(kHits), 0);
}

TEST_F(GuardTest, AFullDeviceHoldsAsMuchAsWithout) {
    const std::string bare = bareOutput({"fill-device"});
    const CommandResult plain = record(job({"fill-device"}));
    std::filesystem::remove(capturePath());
    const CommandResult guarded = recordGuarded({"fill-device"});
    const auto blocks = [](const std::string& text) { return std::stoi(text.substr(text.find(' '))); };
    // Guards of the first blocks take a page each while there is plenty; the last 256 MiB go without.
    EXPECT_GE(blocks(guarded.out), blocks(plain.out) * 8 / 10);
    EXPECT_LE(blocks(plain.out), blocks(bare));
}

TEST_F(GuardTest, PoisonShowsInWhatNobodyWrote) {
    const CommandResult result = recordGuarded({"read-unwritten"}, "--poison");
    EXPECT_EQ(result.out, "plain 7ff77ff7\nordered 7ff77ff7\nordered 7ff77ff7\n");
    EXPECT_EQ(bareOutput({"read-unwritten"}).find("7ff77ff7"), std::string::npos);
    // What we do for it is not the job's.
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM launches"), 0);
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM buffers"), 3);
}

TEST_F(GuardTest, PoisonLeavesCapturesAlone) {
    const CommandResult result = recordGuarded({"capture-while-allocating", "100"}, "--poison");
    EXPECT_NE(result.out.find("broken captures 0"), std::string::npos) << result.describe();
}

TEST_F(GuardTest, AWrongOptionIsExplained) {
    const CommandResult result = record(job({"ask-sizes"}), {"--guard=lots"});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_NE(result.err.find("slack"), std::string::npos) << result.describe();
}

}  // namespace
}  // namespace vramscope::tests
