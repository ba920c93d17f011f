// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "collector/launcher/acting_options.h"
#include "collector/launcher/child_process.h"
#include "collector/recorder/session_directory.h"
#include "formats/job_clock.h"

namespace vramscope::collector {

/// How the job is to be recorded; the collector reads the same from its environment
/// (collector/inject/config.h).
struct RecordingOptions {
    std::string engine = "cupti";
    std::string recordMode = "all";
    std::string onFull = "wait";
    std::uint64_t ringBytes = 0;
    formats::ClockKind clockKind = formats::ClockKind::Monotonic;
    bool launchStacks = false;
    bool hooksLaunches = true;
    ActingOptions acting;
    bool require = false;
    std::vector<std::string> taskRules;  ///< --task-by; the job learns which kind alone
};

/// Which of the environment's variables makes the driver load a tool.
inline constexpr const char* kDriverDoor = "CUDA_INJECTION64_PATH";
/// Whether `variable`, which loads a tool, is set to another one than `library` in our own environment.
bool isHeldByOtherTool(const std::string& variable, const std::string& library);
/// The sentence about that for the driver's door.
std::string otherToolText(const std::string& variable);

/// The environment that makes the job load our library. An injection variable that another tool set already
/// is a Status: two tools cannot share the driver's one door. NVTX's door is left to a tool that holds it,
/// with a line on standard error.
StatusOr<EnvironmentChanges> jobEnvironment(const SessionDirectory& session,
                                            const std::filesystem::path& library,
                                            const RecordingOptions& options);

}  // namespace vramscope::collector
