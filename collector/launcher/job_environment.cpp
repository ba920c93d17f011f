// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/job_environment.h"

#include <cstdlib>
#include <fmt/format.h>

#include "collector/recorder/tell_user.h"

namespace vramscope::collector {

namespace {

// Which tool gets the job's NVTX calls. NVTX has one door, too, but without it a recording lacks nothing but
// phases and names.
void openNvtxDoor(const std::filesystem::path& library, EnvironmentChanges& changes) {
    constexpr const char* kInjection = "NVTX_INJECTION64_PATH";
    if (!isHeldByOtherTool(kInjection, library.string())) {
        changes.emplace_back(kInjection, library.string());
    } else {
        tellUser("vramscope: {} is left at {}: that tool gets the NVTX ranges, the capture will have none.\n",
                 kInjection, std::getenv(kInjection));
    }
}

// Threads the library tells apart by itself; for other rules it takes any work to be any task's.
const char* taskRuleInJob(const std::vector<std::string>& rules) {
    if (rules.empty() || rules.front() == "process") return "process";
    return rules.front() == "thread" ? "thread" : "other";
}

}  // namespace

bool isHeldByOtherTool(const std::string& variable, const std::string& library) {
    const char* other = std::getenv(variable.c_str());
    return other != nullptr && other[0] != '\0' && library != other;
}

std::string otherToolText(const std::string& variable) {
    const char* other = std::getenv(variable.c_str());
    return fmt::format(
        "{} is set to {} already: another tool wants to be loaded into the job, and the driver loads only "
        "one. "
        "Unset it to record with vramscope.",
        variable, other != nullptr ? other : "");
}

StatusOr<EnvironmentChanges> jobEnvironment(const SessionDirectory& session,
                                            const std::filesystem::path& library,
                                            const RecordingOptions& options) {
    if (isHeldByOtherTool(kDriverDoor, library.string()))
        return Status(ErrorKind::Usage, otherToolText(kDriverDoor));
    EnvironmentChanges changes{
        {kDriverDoor, library.string()},
        {"VRAMSCOPE_LIBRARY", library.string()},
        {"VRAMSCOPE_JOB", ""},
        {"VRAMSCOPE_SESSION", session.primary().string()},
        {"VRAMSCOPE_FALLBACK", session.fallback().string()},
        {"VRAMSCOPE_MARKS", session.marks().string()},
        {"VRAMSCOPE_ENGINE", options.engine},
        {"VRAMSCOPE_RECORD", options.recordMode},
        {"VRAMSCOPE_ON_FULL", options.onFull},
        {"VRAMSCOPE_CLOCK", options.clockKind == formats::ClockKind::Counter ? "counter" : "monotonic"},
        {"VRAMSCOPE_LAUNCH_STACKS", options.launchStacks ? "1" : "0"},
        {"VRAMSCOPE_LAUNCH_HOOKS", options.hooksLaunches ? "1" : "0"},
        {"VRAMSCOPE_TASK_RULE", taskRuleInJob(options.taskRules)},
        {"VRAMSCOPE_REQUIRE", options.require ? "1" : "0"},
    };
    options.acting.tell(changes);
    openNvtxDoor(library, changes);
    if (options.ringBytes != 0)
        changes.emplace_back("VRAMSCOPE_RING_BYTES", std::to_string(options.ringBytes));
    return changes;
}

}  // namespace vramscope::collector
