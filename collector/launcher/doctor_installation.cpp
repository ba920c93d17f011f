// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "collector/launcher/doctor_groups.h"
#include "collector/launcher/probe_child.h"
#include "collector/launcher/sibling_program.h"
#include "formats/schema.h"

namespace vramscope::collector {

namespace {

constexpr const char* kReinstall =
    "The installation is incomplete: keep bin and lib of one version side by side.";

// Empty when the library can be loaded and has both doors.
std::string describeLibrary(const std::string& file) {
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return ::dlerror();
    for (const char* name : {"InitializeInjection", "InitializeInjectionNvtx2"}) {
        if (::dlsym(library, name) == nullptr) return fmt::format("{} has no {}", file, name);
    }
    return {};
}

Check checkLibrary() {
    const std::string file = injectedLibrary();
    if (file.empty()) {
        return failCheck("library",
                         fmt::format("no ../lib/libvramscope.so beside {}", programFolder().string()),
                         kReinstall);
    }
    const StatusOr<std::string> trouble =
        askInChild([&file] { return describeLibrary(file); }, std::chrono::seconds(10));
    if (!trouble.isOk())
        return failCheck("library", fmt::format("{} {}", file, trouble.status().message()), kReinstall);
    if (!trouble->empty()) return failCheck("library", *trouble, kReinstall);
    return okCheck("library", file);
}

Check checkAnalyzer() {
    const std::string program = programFolder() / "vramscope";
    if (::access(program.c_str(), X_OK) == 0) return okCheck("analyzer", program);
    return warnCheck("analyzer", fmt::format("no program vramscope beside {}", programFolder().string()),
                     "Recording works; look at captures where it is installed. `run --check` needs it here.");
}

}  // namespace

Checks checkInstallation() {
    return {okCheck("version", fmt::format("vramscope {}, capture format {}", VRAMSCOPE_VERSION,
                                           formats::kFormatVersion)),
            checkLibrary(), checkAnalyzer()};
}

}  // namespace vramscope::collector
