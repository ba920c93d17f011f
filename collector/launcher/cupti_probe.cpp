// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/cupti_probe.h"

#include <cstdlib>
#include <cupti.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "collector/inject/cupti_finder.h"
#include "collector/launcher/driver_probe.h"
#include "collector/launcher/probe_answer.h"
#include "collector/launcher/probe_child.h"

namespace vramscope::collector {

namespace {

constexpr std::chrono::seconds kLimit{30};

void CUPTIAPI ignoreCallback(void* /*user*/, CUpti_CallbackDomain, CUpti_CallbackId, const void* /*data*/) {}

std::string subscribeError(void* library) {
    auto* subscribe = reinterpret_cast<decltype(&cuptiSubscribe)>(::dlsym(library, "cuptiSubscribe"));
    if (subscribe == nullptr) return "it has no callbacks";
    CUpti_SubscriberHandle handle = nullptr;
    const CUptiResult result = subscribe(&handle, ignoreCallback, nullptr);
    if (result == CUPTI_SUCCESS) return {};
    auto* getText =
        reinterpret_cast<decltype(&cuptiGetResultString)>(::dlsym(library, "cuptiGetResultString"));
    const char* text = nullptr;
    if (getText != nullptr) getText(result, &text);
    return fmt::format("it cannot subscribe: {}", text != nullptr ? text : std::to_string(result));
}

// An empty `file` stands for the injected library's own search.
std::string describeCupti(const std::string& file) {
    ProbeAnswer answer;
    std::string driverError;
    startDriver(driverError);
    char path[1024] = "";
    void* library =
        file.empty() ? openCupti(path, sizeof(path)) : ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        if (!file.empty()) answer.add("error", ::dlerror());
        return answer.text();
    }
    answer.add("path", file.empty() ? path : file);
    auto* getVersion = reinterpret_cast<decltype(&cuptiGetVersion)>(::dlsym(library, "cuptiGetVersion"));
    std::uint32_t version = 0;
    if (getVersion != nullptr && getVersion(&version) == CUPTI_SUCCESS)
        answer.add("version", std::to_string(version));
    // Without a driver there is nothing to subscribe to; that is told elsewhere.
    const std::string error = driverError.empty() ? subscribeError(library) : std::string();
    if (!error.empty()) answer.add("error", error);
    return answer.text();
}

CuptiProbe probe(const std::string& file) {
    CuptiProbe probe;
    const StatusOr<std::string> text = askInChild([&file] { return describeCupti(file); }, kLimit);
    const ProbeAnswer answer(text.isOk() ? *text : std::string());
    probe.path = answer.first("path");
    probe.version = static_cast<unsigned>(std::strtoul(answer.first("version").c_str(), nullptr, 10));
    probe.trouble = text.isOk() ? answer.first("error") : "it " + text.status().message();
    return probe;
}

}  // namespace

unsigned CuptiProbe::cudaMajor() const {
    // Numbers counted up by one a release until 12.9; 18 came with 12.0 (cupti_version.h). Since 13.0 they
    // are spelled out.
    if (version >= 10'000) return version / 10'000;
    return version >= 18 ? 12 : 11;
}

std::string CuptiProbe::versionText() const {
    if (version >= 10'000)
        return fmt::format("{}.{} (API {})", version / 10'000, version / 100 % 100, version);
    return fmt::format("{} (API {})", cudaMajor(), version);
}

CuptiProbe probeCuptiOfJob() {
    return probe({});
}

CuptiProbe probeCuptiCopy(const std::filesystem::path& file) {
    return probe(file.string());
}

}  // namespace vramscope::collector
