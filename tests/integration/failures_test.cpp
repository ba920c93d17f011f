// SPDX-License-Identifier: Apache-2.0
// Calls that fail: each leaves a row, whatever it was meant to do, and only failures do.
#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

using FailuresTest = JobTest;

constexpr const char* kAllFailures = "SELECT api, error, family, repeat_count FROM failed_calls";
constexpr const char* kFailureCount = "SELECT coalesce(sum(repeat_count), 0) FROM failed_calls";

/// How often each (call, error) failed, by what the job printed.
using Failures = std::map<std::pair<std::string, std::int64_t>, std::int64_t>;

Failures failuresToldBy(const std::string& output) {
    Failures failures;
    std::istringstream lines(output);
    std::string outcome;
    std::string api;
    std::int64_t error = 0;
    while (lines >> outcome >> api >> error) {
        EXPECT_EQ(outcome, "failed") << api << " is no test: it works on the simulation";
        ++failures[{api, error}];
    }
    return failures;
}

void expectRows(OpenedCapture& capture, const Failures& failures) {
    std::int64_t total = 0;
    for (const auto& [call, count] : failures) {
        const std::string where = " FROM failed_calls WHERE api = '" + call.first +
                                  "' AND error = " + std::to_string(call.second) +
                                  " AND stack_id IS NOT NULL";
        EXPECT_EQ(capture.number("SELECT coalesce(sum(repeat_count), 0)" + where), count) << call.first;
        total += count;
    }
    EXPECT_EQ(capture.number(kFailureCount), total) << capture.table(kAllFailures);
}

/// Those that a level leaves unwatched because a watched one costs every launch or every event record.
bool isUnwatched(const std::string& api, const std::vector<std::string>& prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return api.starts_with(prefix); });
}
const std::vector<std::string> kOrderCalls{"cuEventRecord", "cuStreamWaitEvent"};
const std::vector<std::string> kWorkCalls{"cuLaunch",         "cuGraphLaunch",      "cuMemcpy",
                                          "cuMemset",         "cuStreamWriteValue", "cuEventRecord",
                                          "cuStreamWaitEvent"};

TEST_F(FailuresTest, EachFamilyLeavesRows) {
    const CommandResult result = record(job({"fail-calls"}), {"-q"});
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    const Failures failures = failuresToldBy(result.out);
    EXPECT_GE(failures.size(), 50U);
    EXPECT_EQ((failures.at({"cuModuleUnload", 400})), 3);
    OpenedCapture capture(capturePath());
    expectRows(capture, failures);
    // Its repeats are a count, and a batch that failed as a whole is one failure.
    EXPECT_EQ(capture.number("SELECT count(*) FROM failed_calls WHERE api = 'cuModuleUnload'"), 1);
    EXPECT_EQ(capture.number("SELECT count(*) FROM copies WHERE api = 'cuMemcpyBatchAsync'"), 2);
    EXPECT_EQ(capture.number("SELECT size_bytes FROM failed_calls WHERE api = 'cuMemAlloc'"), 900LL << 30);
    EXPECT_EQ(
        capture.number("SELECT address FROM failed_calls WHERE api = 'cuStreamDestroy' AND family = 'free'"),
        0xBAD0BAD0);
    // What failed did nothing: no stream, object or pool of it.
    EXPECT_EQ(capture.number("SELECT count(*) FROM streams WHERE handle > 2"), 0);
    EXPECT_EQ(capture.number("SELECT count(*) FROM objects WHERE kind IN ('event', 'texture', 'graph')"), 0);
}

TEST_F(FailuresTest, LevelsLeaveOutOnlyWhatTheyDoNotWatch) {
    for (const auto& [level, unwatched] :
         {std::pair("--record=allocs", kWorkCalls), std::pair("--record=launches", kOrderCalls)}) {
        const CommandResult result = record(job({"fail-calls"}), {"-q", "-f", level});
        Failures failures = failuresToldBy(result.out);
        const std::size_t all = failures.size();
        std::erase_if(failures, [&](const auto& entry) { return isUnwatched(entry.first.first, unwatched); });
        EXPECT_LT(failures.size(), all);
        OpenedCapture capture(capturePath());
        expectRows(capture, failures);
    }
}

TEST_F(FailuresTest, InACaptureToo) {
    const CommandResult result = record(job({"fail-in-capture"}), {"-q"});
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    expectRows(capture, failuresToldBy(result.out));
    EXPECT_EQ(capture.number("SELECT count(*) FROM sets"), 0);
}

TEST_F(FailuresTest, NotReadyIsNoFailure) {
    const CommandResult result = record(job({"ask-too-early"}), {"-q"});
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kFailureCount), 0) << capture.table(kAllFailures);
}

TEST_F(FailuresTest, FaultOnTheDeviceIsToldAtTheFirstWait) {
    for (const char* level : {"--record=all", "--record=allocs"}) {
        const CommandResult result = record(job({"fault-in-kernel"}), {"-f", level});
        EXPECT_EQ(result.exitCode, 6) << result.describe();
        const std::string told =
            "first error of the job: cuCtxSynchronize gave CUDA_ERROR_ILLEGAL_ADDRESS (700)";
        EXPECT_NE(result.err.find("device fault"), std::string::npos) << result.describe();
        OpenedCapture capture(capturePath());
        EXPECT_EQ(
            capture.text("SELECT api || ' ' || error FROM failed_calls ORDER BY failed_call_id LIMIT 1"),
            "cuCtxSynchronize 700");
        const CommandResult report =
            run(m_machine.command({analyzerProgram(), "report", "--color=never", "job.vramscope"}));
        EXPECT_NE(report.out.find(told), std::string::npos) << report.describe();
        EXPECT_EQ(report.out.find("NO PROBLEMS"), std::string::npos) << report.describe();
        EXPECT_NE(report.out.find("faultInKernel"), std::string::npos) << report.describe();
    }
}

}  // namespace
}  // namespace vramscope::tests
