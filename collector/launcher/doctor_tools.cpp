// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <unistd.h>

#include "collector/launcher/doctor_groups.h"
#include "collector/launcher/sibling_program.h"

extern char** environ;

namespace vramscope::collector {

namespace {

// Programs that take CUPTI's one subscription, or the driver's debugging interface, in whatever they start.
constexpr std::array<std::string_view, 6> kRivals{
    "nsys", "ncu", "nv-nsight-cu-cli", "compute-sanitizer", "cuda-gdb", "nvprof"};

bool isSet(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && value[0] != '\0';
}

Check checkDriverDoor() {
    constexpr const char* kName = "CUDA_INJECTION64_PATH";
    if (!isSet(kName) || injectedLibrary() == std::getenv(kName)) return okCheck("driver's door", "free");
    return failCheck(
        "driver's door",
        fmt::format("{} is {}: another tool is loaded into CUDA jobs", kName, std::getenv(kName)),
        fmt::format("The driver loads one tool only: unset {}.", kName));
}

Check checkNvtxDoor() {
    constexpr const char* kName = "NVTX_INJECTION64_PATH";
    if (!isSet(kName) || injectedLibrary() == std::getenv(kName)) return okCheck("nvtx door", "free");
    return warnCheck(
        "nvtx door", fmt::format("{} is {}: that tool gets the NVTX ranges", kName, std::getenv(kName)),
        fmt::format("Captures will have no phases and no names of streams. To have them, unset {}. If the "
                    "other tool is CUPTI, it may also take the one subscription.",
                    kName));
}

// Name and parent of a process; an empty name when it cannot be read.
std::string nameOf(pid_t pid, pid_t& parent) {
    std::ifstream stat(fmt::format("/proc/{}/stat", pid));
    std::string text;
    std::getline(stat, text);
    const std::size_t open = text.find('(');
    const std::size_t close = text.rfind(')');
    parent = 0;
    if (open == std::string::npos || close == std::string::npos || close + 4 > text.size()) return {};
    parent = std::atoi(text.c_str() + close + 4);
    return text.substr(open + 1, close - open - 1);
}

std::string rivalAbove() {
    pid_t pid = ::getppid();
    for (int depth = 0; pid > 1 && depth < 64; ++depth) {
        pid_t parent = 0;
        const std::string name = nameOf(pid, parent);
        for (const std::string_view rival : kRivals) {
            if (name == rival) return fmt::format("{} (process {})", name, pid);
        }
        pid = parent;
    }
    return {};
}

// What Nsight tools leave in the environment of what they start, where their process is out of sight (a
// container).
std::string rivalVariable() {
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        for (const std::string_view prefix :
             {"NSYS_PROFILING_SESSION_ID=", "NV_NSIGHT_", "NV_TPS_LAUNCH_TOKEN="}) {
            if (text.starts_with(prefix)) return std::string(text.substr(0, text.find('=')));
        }
    }
    return {};
}

Check checkRivals() {
    const std::string above = rivalAbove();
    if (!above.empty()) {
        return warnCheck(
            "other profilers", fmt::format("running under {}", above),
            "It may hold CUPTI in the jobs, which serves one tool at a time. Run vramscope outside of it.");
    }
    if (const std::string variable = rivalVariable(); !variable.empty()) {
        return warnCheck(
            "other profilers", fmt::format("{} is set: an Nsight tool started this", variable),
            "It may hold CUPTI in the jobs, which serves one tool at a time. Run vramscope outside of it.");
    }
    if (isSet("KINETO_USE_DAEMON")) {
        return warnCheck("other profilers",
                         "KINETO_USE_DAEMON is set: PyTorch takes CUPTI when it is imported",
                         "Unset it for runs that vramscope is to record.");
    }
    return okCheck("other profilers", "none in sight");
}

}  // namespace

Checks checkOtherTools() {
    return {checkDriverDoor(), checkNvtxDoor(), checkRivals()};
}

}  // namespace vramscope::collector
