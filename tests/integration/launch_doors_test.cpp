// SPDX-License-Identifier: Apache-2.0
// A launch is recorded once, by our hook or by CUPTI's callback, whichever way it takes; and what may have
// been missed is said.
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

using LaunchDoorsTest = JobTest;

constexpr const char* kLaunchCount = "SELECT count(*) FROM launches";
constexpr const char* kUnseen =
    "SELECT coalesce(sum(lost_count), 0) FROM drops WHERE reason = 'launch-unseen'";

TEST_F(LaunchDoorsTest, EveryLaunchOnceWhileTheWayChanges) {
    for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--no-launch-hooks"}}) {
        std::filesystem::remove(capturePath());
        const CommandResult result = record(job({"launch-changing", "4", "3000"}), options);
        EXPECT_EQ(result.exitCode, 0) << result.describe();
        OpenedCapture capture(capturePath());
        EXPECT_EQ(capture.number(kLaunchCount), 4 * 3000);
        EXPECT_EQ(capture.number("SELECT count(*) FROM drops"), 0);
        EXPECT_EQ(capture.text("SELECT group_concat(DISTINCT name) FROM kernels"), "fill");
        EXPECT_EQ(capture.number("SELECT count(*) FROM launches l, kernels k USING (kernel_id)"), 4 * 3000);
    }
}

TEST_F(LaunchDoorsTest, APointerAskedForLateIsNoticedAndSaid) {
    const CommandResult result = record(job({"launch-late", "3000"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    const std::size_t told = result.out.find("late ");
    ASSERT_NE(told, std::string::npos) << result.describe();
    const long late = std::stol(result.out.substr(told + 5));
    OpenedCapture capture(capturePath());
    const long recorded = capture.number(kLaunchCount);
    EXPECT_LT(recorded, 1000 + 2 * late) << "CUPTI was never let off";
    EXPECT_GT(recorded, 1000 + late) << "the late ones were never seen";
    EXPECT_EQ(capture.number(kUnseen), 1);
    EXPECT_NE(result.err.find("may be missing"), std::string::npos) << result.describe();
}

TEST_F(LaunchDoorsTest, WithoutHooksThereIsNothingToMiss) {
    const CommandResult result = record(job({"launch-late", "300"}), {"--no-launch-hooks"});
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    const long late = std::stol(result.out.substr(result.out.find("late ") + 5));
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kLaunchCount), 1000 + 2 * late);
    EXPECT_EQ(capture.number(kUnseen), 0);
}

}  // namespace
}  // namespace vramscope::tests
