// SPDX-License-Identifier: Apache-2.0
// Digests, checks behind each launch and perturbation: what they see, and that the job sees nothing of them.
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

class WatchTest : public JobTest {
protected:
    CommandResult recordWith(const std::vector<std::string>& command,
                             const std::vector<std::string>& options) {
        CommandResult result = record(command, options);
        EXPECT_EQ(result.exitCode, 0) << result.describe();
        m_capture.emplace(capturePath());
        EXPECT_EQ(m_capture->lostCount(), 0);
        return result;
    }
    std::optional<OpenedCapture> m_capture;
};

constexpr const char* kChanges = "SELECT count(*) FROM digest_changes";

TEST_F(WatchTest, AChangeIsNarrowedToItsLaunch) {
    recordWith({samplesFolder() / "overwrite_through_table"}, {"--watch=all"});
    EXPECT_EQ(m_capture->number(kChanges), 1);
    // The sixth of the worker's launches, the seventh of all.
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM launches l, digest_changes c WHERE l.enter_ns < "
                                "c.from_ns AND l.exit_ns < c.launch_ns"),
              6);
    EXPECT_EQ(
        m_capture->number("SELECT count(*) FROM digest_changes c JOIN buffers b ON b.address = c.address AND "
                          "b.alloc_ns = c.alloc_ns JOIN streams s ON s.stream_id = c.stream_id"),
        1);
    // What we do for it is not the job's.
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM launches"), 8);
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM buffers WHERE kind = 'device'"), 3);
}

TEST_F(WatchTest, OnlyWhatTheExpressionMeansIsWatched) {
    for (const auto& [expression, changes] :
         std::vector<std::pair<std::string, int>>{{"task:keeper", 1},
                                                  {"task:keep*", 1},
                                                  {"name:keeper.state", 1},
                                                  {"size>64", 1},
                                                  {"task:worker", 0},
                                                  {"size<1KiB", 0},
                                                  {"name:other,task:nobody", 0}}) {
        std::filesystem::remove(capturePath());
        recordWith({samplesFolder() / "overwrite_through_table"}, {"--watch", expression});
        EXPECT_EQ(m_capture->number(kChanges), changes) << expression;
    }
}

TEST_F(WatchTest, AHitNamesTheLaunchBeforeIt) {
    recordWith(job({"overrun-ordered"}), {"--guard-every-launch"});
    EXPECT_EQ(m_capture->number("SELECT count(*) FROM guard_hits"), 2);
    EXPECT_EQ(m_capture->number(
                  "SELECT count(*) FROM guard_hits h JOIN launches l ON abs(l.enter_ns - h.launch_ns) "
                  "<= 10000 AND l.thread_id = h.launch_thread_id"),
              1)
        << "of the plain block; stream-ordered ones are looked at when they are freed";
}

TEST_F(WatchTest, CapturesAreLeftAloneUnderEveryOption) {
    for (const char* option : {"--watch=all", "--guard-every-launch", "--perturb=3", "--paranoid"}) {
        std::filesystem::remove(capturePath());
        const CommandResult result = recordWith(job({"capture-while-allocating", "100"}), {option});
        EXPECT_NE(result.out.find("broken captures 0"), std::string::npos) << option << result.describe();
    }
}

TEST_F(WatchTest, TheJobPrintsWhatItPrintsWithoutUs) {
    for (const char* words : {"ask-sizes", "overrun-ordered"}) {
        const CommandResult bare = run(m_machine.command(job({words})));
        for (const char* option : {"--watch=all", "--guard-every-launch", "--perturb=11"}) {
            std::filesystem::remove(capturePath());
            EXPECT_EQ(recordWith(job({words}), {"-q", option}).out, bare.out) << words << option;
        }
    }
}

TEST_F(WatchTest, PerturbationFollowsItsSeed) {
    const auto guardBytes = [&](const std::string& seed) {
        std::filesystem::remove(capturePath());
        recordWith(job({"overrun-ordered"}), {"--perturb=" + seed});
        return m_capture->text("SELECT message FROM notes WHERE code = 'guards'");
    };
    const std::string first = guardBytes("5");
    EXPECT_EQ(guardBytes("5"), first);
    EXPECT_NE(guardBytes("6"), first);
}

TEST_F(WatchTest, ParanoiaSaysWhatItCosts) {
    const CommandResult result = recordWith(job({"ask-sizes"}), {"--paranoid"});
    EXPECT_NE(result.err.find("--paranoid: guard bytes"), std::string::npos) << result.describe();
}

TEST_F(WatchTest, WrongOptionsAreExplained) {
    for (const auto& [option, word] :
         std::vector<std::pair<std::string, std::string>>{{"--watch=everything", "task:generator"},
                                                          {"--watch=size>lots", "size>1MiB"},
                                                          {"--watch=buffer:b7f2c40000000.3", "generation"},
                                                          {"--watch=name:*x", "at its end"},
                                                          {"--perturb=seed", "perturb"}}) {
        const CommandResult result = record(job({"ask-sizes"}), {option});
        EXPECT_EQ(result.exitCode, 2) << option;
        EXPECT_NE(result.err.find(word), std::string::npos) << result.describe();
    }
    const CommandResult result = record(job({"ask-sizes"}), {"--watch=all", "--record=launches"});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_NE(result.err.find("--record=all"), std::string::npos) << result.describe();
}

}  // namespace
}  // namespace vramscope::tests
