// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include "collector/inject/sanitizer_api.h"
#include "collector/launcher/doctor_groups.h"
#include "collector/launcher/probe_answer.h"
#include "collector/launcher/probe_child.h"

namespace vramscope::collector {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLimit{30};

// As a job does it: the driver first, then the library, then the one subscriber that a process may have.
std::string describeSanitizer() {
    ProbeAnswer answer;
    std::string driverError;
    startDriver(driverError);
    char path[1024] = "";
    char reason[1024] = "";
    const bool isLoaded = loadSanitizer(path, sizeof(path), reason, sizeof(reason));
    if (path[0] != '\0') answer.add("path", path);
    if (!isLoaded) {
        answer.add("error", reason);
    } else if (driverError.empty()) {
        sanitizer::Subscriber subscriber = nullptr;
        const auto ignore = [](void*, std::uint32_t, std::uint32_t, const void*) {};
        const sanitizer::Result result = g_sanitizer.subscribe(&subscriber, ignore, nullptr);
        const char* text = "unknown error";
        g_sanitizer.getResultString(result, &text);
        if (result != sanitizer::kSuccess)
            answer.add("error", fmt::format("{} cannot subscribe: {}", path, text));
        if (g_sanitizer.functionPlace == nullptr) answer.add("lacks", "lines of kernels");
    }
    return answer.text();
}

std::string versionInToolkit(const fs::path& folder) {
    std::ifstream file(folder / "version.json");
    const auto versions = nlohmann::json::parse(file, nullptr, false);
    const auto part = versions.is_object() ? versions.find("cuda_sanitizer_api") : versions.end();
    if (part == versions.end() || !part->is_object()) return "";
    const auto version = part->find("version");
    return version != part->end() && version->is_string() ? version->get<std::string>() : "";
}

std::string versionInPackages(const fs::path& folder) {
    constexpr std::string_view kBegin = "nvidia_cuda_sanitizer_api-";
    constexpr std::string_view kEnd = ".dist-info";
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with(kBegin) && name.ends_with(kEnd))
            return name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    }
    return "";
}

// The library does not say; what it was installed with does.
std::string versionOf(const fs::path& library) {
    constexpr int kMostLevels = 5;
    std::error_code error;
    fs::path folder = fs::weakly_canonical(library, error).parent_path();
    for (int level = 0; level < kMostLevels && folder.has_relative_path(); ++level) {
        for (const std::string& version : {versionInToolkit(folder), versionInPackages(folder)}) {
            if (!version.empty()) return version;
        }
        folder = folder.parent_path();
    }
    return "of unknown version";
}

}  // namespace

Checks checkExactEngine() {
    constexpr const char* kName = "exact engine";
    const StatusOr<std::string> text = askInChild(describeSanitizer, kLimit);
    const ProbeAnswer answer(text.isOk() ? *text : std::string());
    const std::string path = answer.first("path");
    const std::string trouble =
        text.isOk() ? answer.first("error") : "the library " + text.status().message();
    // Only who asks for it needs it.
    if (!trouble.empty()) return {okCheck(kName, "not here: " + trouble)};
    const std::string lacks = answer.first("lacks");
    return {okCheck(kName, fmt::format("Compute Sanitizer API {}, {}{}", versionOf(path), path,
                                       lacks.empty() ? "" : ", without " + lacks))};
}

}  // namespace vramscope::collector
