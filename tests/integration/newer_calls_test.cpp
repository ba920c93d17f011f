// SPDX-License-Identifier: Apache-2.0
// Calls that came after the first stream-ordered pools, and those that few programs make: each tells what the
// older ones tell.
#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

using NewerCallsTest = JobTest;

TEST_F(NewerCallsTest, PoolChosenByLocationIsTheOneTakenFrom) {
    const CommandResult result = record(job({"choose-pool"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    const std::string pools = capture.table("SELECT pool_id, is_default, device_id, end_ns FROM pools");
    EXPECT_EQ(capture.number("SELECT count(*) FROM pools"), 2) << pools;
    const auto poolOf = [&](int mebibytes) {
        return capture.text("SELECT is_default FROM pools JOIN buffers USING (pool_id) WHERE size_bytes = " +
                            std::to_string(mebibytes) + " << 20");
    };
    EXPECT_EQ(poolOf(1), "1");
    EXPECT_EQ(poolOf(3), "0");
    EXPECT_EQ(capture.number("SELECT count(*) FROM pools WHERE device_id IS NULL"), 0) << pools;
}

TEST_F(NewerCallsTest, ImportedHandleIsAnothersMemory) {
    const CommandResult result = record(job({"share-mapped"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.text(
                  "SELECT group_concat(origin || ' ' || size_bytes || ' ' || (device_id IS NOT NULL), ', ') "
                  "FROM vmm_handles"),
              "created 4194304 1, imported 4194304 0");
    EXPECT_EQ(capture.number("SELECT count(*) FROM vmm_handles WHERE release_ns IS NULL OR end_ns IS NULL"),
              0);
    EXPECT_EQ(
        capture.text("SELECT origin FROM buffers JOIN vmm_handles USING (handle_id) WHERE kind = 'vmm'"),
        "imported");
}

TEST_F(NewerCallsTest, BoxesOfABatchAndMipmappedArrays) {
    const CommandResult result = record(job({"copy-boxes"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(
        capture.number("SELECT count(*) FROM copies WHERE api = 'cuMemcpy3DBatchAsync' AND bytes = 1024 AND "
                       "rows = 8 AND slices = 2 AND dst_pitch = 128 AND src_pitch = 64"),
        2);
    EXPECT_EQ(capture.text("SELECT size_bytes || ' ' || end_kind FROM buffers WHERE kind = 'array'"),
              std::to_string(64 * 64 + 32 * 32 + 16 * 16) + " freed");
}

}  // namespace
}  // namespace vramscope::tests
