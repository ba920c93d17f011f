// SPDX-License-Identifier: Apache-2.0
// How far a fault was from the error that its process ended with.
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"
#include "tests/support/stream_program.h"

namespace vramscope::tests {
namespace {

/// Two streams race for a buffer, and a few launches follow.
class EndingsTest : public testing::Test {
protected:
    EndingsTest() {
        const std::int64_t buffer = program.allocate();
        program.set(a, buffer);
        program.set(b, buffer);
        for (int i = 0; i < 3; ++i)
            program.launch(a, {});
    }
    detectors::Finding race() {
        const auto found = findingsOf(detectors::detectAll(*program.load()), "ordering.cross-stream");
        EXPECT_EQ(found.size(), 1U);
        return found.empty() ? detectors::Finding{} : found[0];
    }

    CaptureBuilder builder;
    StreamProgram program{builder};
    std::int64_t a = program.stream();
    std::int64_t b = program.stream();
};

TEST_F(EndingsTest, AnUncaughtException) {
    builder.exec(
        "INSERT INTO job_exceptions (job_exception_id, process_id, time_ns, type, file, line, script_file, "
        "script_line, repeat_count) VALUES (1, 1, 3200001030, 'RuntimeError', '/opt/torch/graph.py', 824, "
        "'/home/x/train.py', 88, 1)");
    const detectors::Finding finding = race();
    EXPECT_EQ(finding.evidence.back(),
              "That was 3.2 s and 3 launches before an uncaught RuntimeError at train.py:88 (raised at "
              "graph.py:824).");
    ASSERT_TRUE(finding.ending);
    EXPECT_EQ(finding.ending->timeNs, 3'200'001'030);
}

TEST_F(EndingsTest, ASignal) {
    builder.processEnd(1, "killed", 6);
    EXPECT_NE(race().evidence.back().find("and 3 launches before signal 6 ended pid 4711."),
              std::string::npos);
}

TEST_F(EndingsTest, ACode) {
    builder.processEnd(1, "exited", 3);
    EXPECT_NE(race().evidence.back().find("and 3 launches before pid 4711 ended with code 3."),
              std::string::npos);
}

TEST_F(EndingsTest, AProcessThatEndedWell) {
    EXPECT_FALSE(race().ending);
}

TEST_F(EndingsTest, AnErrorBeforeTheFaultHasNothingToDoWithIt) {
    builder.exec(
        "INSERT INTO job_exceptions (job_exception_id, process_id, time_ns, type, repeat_count) VALUES (1, "
        "1, 500, 'KeyError', 1)");
    EXPECT_FALSE(race().ending);
}

}  // namespace
}  // namespace vramscope::tests
