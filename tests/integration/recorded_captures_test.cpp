// SPDX-License-Identifier: Apache-2.0
// The captures in samples/captures came from a real GPU: they must go on opening, and go on being judged as
// they are.
#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/opened_capture.h"
#include "tests/support/simulated_machine.h"

namespace vramscope::tests {
namespace {

std::filesystem::path captureFile(const std::string& name) {
    return std::filesystem::path(VRAMSCOPE_CAPTURES) / (name + ".vramscope");
}

nlohmann::json check(const std::string& name, int expectedExit) {
    const CommandResult result =
        run({.words = {analyzerProgram().string(), "check", "--json", captureFile(name).string()},
             .environment = {},
             .folder = {}});
    EXPECT_EQ(result.exitCode, expectedExit) << result.describe();
    const nlohmann::json report = nlohmann::json::parse(result.out, nullptr, false);
    EXPECT_TRUE(report.is_object()) << result.describe();
    return report.at("captures").at(0).at("findings");
}

int countOf(const nlohmann::json& findings, const std::string& verdict) {
    return static_cast<int>(std::count_if(findings.begin(), findings.end(),
                                          [&](const auto& f) { return f.at("verdict") == verdict; }));
}

TEST(RecordedCapturesTest, OrdinaryJobsHaveNoProblem) {
    for (const char* name : {"torch_training", "torch_expandable_segments", "two_processes",
                             "torch_async_pool", "jax_training", "torch_two_tasks"}) {
        SCOPED_TRACE(name);
        const nlohmann::json findings = check(name, 0);
        EXPECT_EQ(countOf(findings, "fail"), 0);
        EXPECT_EQ(countOf(findings, "warn"), 0);
        OpenedCapture capture(captureFile(name));
        EXPECT_EQ(capture.lostCount(), 0);
    }
}

TEST(RecordedCapturesTest, TheLeakIsFoundAndNothingElse) {
    const nlohmann::json findings = check("torch_leak", 1);
    EXPECT_EQ(countOf(findings, "fail"), 1);
    EXPECT_EQ(countOf(findings, "warn"), 0);
    const auto leak = std::find_if(findings.begin(), findings.end(),
                                   [](const auto& f) { return f.at("verdict") == "fail"; });
    ASSERT_NE(leak, findings.end());
    EXPECT_EQ(leak->at("rule"), "leak.growth");
    EXPECT_EQ(leak->at("count"), 50);
    EXPECT_EQ(leak->at("bytes"), 50 * (12LL << 20));
}

TEST(RecordedCapturesTest, TheWriterIsFoundLongBeforeTheError) {
    const nlohmann::json findings = check("torch_story", 1);
    EXPECT_EQ(countOf(findings, "fail"), 1);
    EXPECT_EQ(countOf(findings, "warn"), 0);
    const auto overwrite = std::find_if(findings.begin(), findings.end(),
                                        [](const auto& f) { return f.at("verdict") == "fail"; });
    ASSERT_NE(overwrite, findings.end());
    EXPECT_EQ(overwrite->at("rule"), "corruption.overwrite");
    EXPECT_EQ(overwrite->at("confidence"), "proven");
    EXPECT_EQ(overwrite->at("bytes"), 1024);
    EXPECT_EQ(overwrite->at("headline"), "serving in training's training.fc2.weight");
    const std::vector<std::string> evidence = overwrite->at("evidence");
    EXPECT_EQ(evidence.back(),
              "That was 706.6 ms and 2,104 launches before an uncaught RuntimeError at torch_story.py:61 "
              "(raised at graph.py:869).");
    EXPECT_EQ(OpenedCapture(captureFile("torch_story")).lostCount(), 0);
}

TEST(RecordedCapturesTest, BothProcessesAreInOneCapture) {
    OpenedCapture capture(captureFile("two_processes"));
    EXPECT_EQ(capture.number("SELECT count(*) FROM processes WHERE end_kind = 'exited' AND exit_code = 0"),
              2);
    EXPECT_EQ(capture.number("SELECT count(DISTINCT process_id) FROM buffers"), 2);
}

TEST(RecordedCapturesTest, EveryAllocatorShowsItsKind) {
    OpenedCapture pool(captureFile("torch_async_pool"));
    EXPECT_GT(pool.number("SELECT count(*) FROM buffers WHERE kind = 'async'"), 10'000);
    OpenedCapture jax(captureFile("jax_training"));
    EXPECT_EQ(jax.number("SELECT size_bytes FROM buffers WHERE kind = 'vmm'"), 30'022'828'032);
}

TEST(RecordedCapturesTest, AutogradWorksForTheTaskThatCalledBackward) {
    OpenedCapture capture(captureFile("torch_two_tasks"));
    const std::string task =
        "(SELECT t.name FROM task_spans s JOIN tasks t USING (task_id) WHERE s.process_id = l.process_id AND "
        "(s.thread_id = l.thread_id OR s.thread_id IS NULL) AND l.enter_ns BETWEEN s.start_ns AND s.end_ns "
        "ORDER BY s.precedence, s.level DESC LIMIT 1)";
    EXPECT_EQ(
        capture.table("SELECT " + task +
                      " AS task, count(*) FROM launches l JOIN threads th USING (thread_id) WHERE th.name "
                      "LIKE 'pt_autograd%' GROUP BY 1 ORDER BY 1"),
        "discriminator|180\ngenerator|180\n");
}

TEST(RecordedCapturesTest, LaunchesNameTheBuffersTheyWereGiven) {
    OpenedCapture capture(captureFile("torch_training"));
    const std::int64_t launches = capture.number("SELECT count(*) FROM launches");
    EXPECT_GT(launches, 30'000);
    EXPECT_GT(capture.number("SELECT count(*) FROM launches WHERE argument_set_id IS NOT NULL"),
              launches * 9 / 10);
    EXPECT_EQ(capture.number("SELECT count(*) FROM kernels WHERE name IS NULL"), 0);
    // Eight bytes a launch is what a repeating step may cost.
    EXPECT_LT(capture.number("SELECT sum(length(data)) FROM event_chunks WHERE kind = 'launches'"),
              launches * 8);
}

}  // namespace
}  // namespace vramscope::tests
