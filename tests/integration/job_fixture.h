// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "tests/support/opened_capture.h"
#include "tests/support/simulated_machine.h"

namespace vramscope::tests {

/// Tests that record the integration job (tests/integration/jobs) on a simulated machine of their own.
class JobTest : public testing::Test {
protected:
    static std::string jobProgram() { return VRAMSCOPE_JOB_PROGRAM; }
    static std::string subscriberLibrary() { return VRAMSCOPE_SUBSCRIBER_LIBRARY; }

    static std::vector<std::string> job(std::vector<std::string> words) {
        words.insert(words.begin(), jobProgram());
        return words;
    }

    std::filesystem::path capturePath() const { return m_machine / "job.vramscope"; }

    /// Records into job.vramscope; `options` stand before it.
    CommandLine recording(const std::vector<std::string>& command,
                          std::vector<std::string> options = {}) const {
        options.insert(options.end(), {"-o", "job.vramscope"});
        return m_machine.recorded(options, command);
    }
    CommandResult record(const std::vector<std::string>& command,
                         const std::vector<std::string>& options = {}) const {
        CommandResult result = run(recording(command, options));
        EXPECT_FALSE(result.timedOut) << result.describe();
        return result;
    }

    SimulatedMachine m_machine;
};

inline constexpr const char* kBufferCount = "SELECT count(*) FROM buffers WHERE kind = 'device'";
/// Never freed: live until the process ended.
inline constexpr const char* kLiveCount =
    "SELECT count(*) FROM buffers WHERE kind = 'device' AND coalesce(end_kind, 'process-ended') = "
    "'process-ended'";
inline constexpr const char* kProcessCount = "SELECT count(*) FROM processes";

}  // namespace vramscope::tests
