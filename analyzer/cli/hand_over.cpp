// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/hand_over.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "analyzer/cli/console.h"

namespace vramscope::cli {
namespace {

constexpr std::string_view kCapture = "vramscope-capture";
constexpr std::string_view kViewer = "vramscope-viewer";

constexpr std::array<HandedVerb, 5> kHandedVerbs{
    {{"run", kCapture, "Record a program"},
     {"recover", kCapture, "Finish a recording whose recorder was killed"},
     {"doctor", kCapture, "Say whether this machine can record, and why not"},
     {"demo", kCapture, "Record a small program and show what was found"},
     {"open", kViewer, "Open a capture in the viewer"}}};

/// `run` promises these two like every program that starts another; for the rest they are a usage-free
/// failure.
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

std::vector<std::filesystem::path> placesFor(std::string_view program) {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return {};
    const std::filesystem::path folder = self.parent_path();
    return {folder / program, folder.parent_path() / "libexec" / "vramscope" / program,
            folder.parent_path() / "libexec" / program};
}

std::string_view whatItIs(std::string_view program) {
    return program == kViewer ? "the viewer" : "the capture side";
}

}  // namespace

std::optional<std::string_view> ownerOf(std::string_view verb) {
    for (const HandedVerb& handed : kHandedVerbs) {
        if (handed.verb == verb) return handed.program;
    }
    return std::nullopt;
}

bool isInstalled(std::string_view program) {
    const std::vector<std::filesystem::path> places = placesFor(program);
    return std::any_of(places.begin(), places.end(),
                       [](const auto& place) { return access(place.c_str(), X_OK) == 0; });
}

std::vector<HandedVerb> installedVerbs() {
    std::vector<HandedVerb> verbs;
    for (const HandedVerb& handed : kHandedVerbs) {
        if (isInstalled(handed.program)) verbs.push_back(handed);
    }
    return verbs;
}

int handOver(std::string_view program, char* const* arguments) {
    for (const std::filesystem::path& place : placesFor(program)) {
        if (access(place.c_str(), F_OK) != 0) continue;
        std::vector<char*> argv{const_cast<char*>(place.c_str())};
        for (; *arguments; ++arguments)
            argv.push_back(*arguments);
        argv.push_back(nullptr);
        execv(place.c_str(), argv.data());
        complain(fmt::format("{} cannot be run: {}.", place.string(), std::strerror(errno)));
        return kCannotRun;
    }
    complain(fmt::format("`{}` needs {}, which is not installed here: {} is missing beside vramscope.",
                         *arguments, whatItIs(program), program));
    return kNotFound;
}

}  // namespace vramscope::cli
