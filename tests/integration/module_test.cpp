// SPDX-License-Identifier: Apache-2.0
// Variables of modules end with their module, and contexts that a job destroys after exit() are told apart.
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

using ModuleTest = JobTest;

TEST_F(ModuleTest, VariablesEndWithTheirModule) {
    const std::string module = (simulatedLibraries() / "sim_test_kernels.module").string();
    const CommandResult result = record(job({"unload-modules", module}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(
        capture.table("SELECT api, end_kind, coalesce(free_api, 'none'), free_ns >= alloc_ns FROM buffers "
                      "WHERE kind = 'module' ORDER BY alloc_ns"),
        "cuModuleGetGlobal|freed|cuModuleUnload|1\n"
        "cuLibraryGetGlobal|freed|cuLibraryUnload|1\n"
        "cuModuleGetGlobal|process-ended|none|1\n");
    EXPECT_EQ(capture.number("SELECT count(*) FROM buffers WHERE kind = 'module' AND end_kind = 'freed' AND "
                             "free_stack_id IS NOT NULL"),
              2);
    EXPECT_EQ(capture.number("SELECT count(*) FROM failed_calls"), 0);
}

TEST_F(ModuleTest, AContextThatIsDestroyedAfterExitEnds) {
    const CommandResult result = record(job({"destroy-at-exit"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number("SELECT count(*) FROM contexts WHERE end_ns IS NOT NULL"), 1);
    EXPECT_EQ(capture.text("SELECT end_kind FROM buffers WHERE kind = 'device'"), "process-ended");
    EXPECT_EQ(capture.number("SELECT count(*) FROM buffers b, processes p WHERE b.free_ns < p.end_ns"), 1)
        << "with its context, before the process was gone";
}

}  // namespace
}  // namespace vramscope::tests
