// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/cupti_copies.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

#include "collector/launcher/probe_child.h"

namespace vramscope::collector {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFileNames[] = {"libcupti.so.13", "libcupti.so.12"};
// Folders of the PyPI packages nvidia-cuda-cupti and -cu12, in the order in which the injected library takes
// them.
constexpr const char* kPackageFolders[] = {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib"};

void addFolder(const fs::path& folder, const char* origin, std::vector<CuptiCopy>& copies) {
    for (const char* name : kFileNames) {
        std::error_code error;
        const fs::path file = fs::canonical(folder / name, error);
        const auto same = [&file](const CuptiCopy& copy) { return copy.path == file; };
        if (!error && std::none_of(copies.begin(), copies.end(), same)) copies.push_back({file, origin});
    }
}

void addToolkit(const fs::path& root, std::vector<CuptiCopy>& copies) {
    for (const char* folder : {"lib64", "extras/CUPTI/lib64", "lib"})
        addFolder(root / folder, "toolkit", copies);
}

void addToolkits(std::vector<CuptiCopy>& copies) {
    for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"}) {
        const char* root = std::getenv(name);
        if (root != nullptr && root[0] == '/') addToolkit(root, copies);
    }
    std::error_code error;
    std::vector<fs::path> roots;
    for (fs::directory_iterator at("/usr/local", error), end; !error && at != end; at.increment(error)) {
        if (at->path().filename().string().starts_with("cuda")) roots.push_back(at->path());
    }
    std::sort(roots.begin(), roots.end());
    for (const fs::path& root : roots)
        addToolkit(root, copies);
    addFolder("/usr/lib/x86_64-linux-gnu", "system", copies);
    addFolder("/usr/lib/aarch64-linux-gnu", "system", copies);
}

std::string pythonPath() {
    std::string text;
    std::FILE* python = ::popen("exec python3 -c 'import sys; print(\"\\n\".join(sys.path))'", "re");
    if (python == nullptr) return text;
    char buffer[4096];
    for (std::size_t length = 0; (length = std::fread(buffer, 1, sizeof(buffer), python)) > 0;)
        text.append(buffer, length);
    ::pclose(python);
    return text;
}

}  // namespace

std::vector<CuptiCopy> findCuptiCopies() {
    std::vector<CuptiCopy> copies;
    const char* paths = std::getenv("LD_LIBRARY_PATH");
    std::istringstream listed(paths != nullptr ? paths : "");
    for (std::string folder; std::getline(listed, folder, ':');) {
        if (!folder.empty()) addFolder(folder, "LD_LIBRARY_PATH", copies);
    }
    // Ten seconds: a Python on a network file system takes its time. One that hangs is no reason to hang with
    // it.
    const StatusOr<std::string> python = askInChild(pythonPath, std::chrono::seconds(10));
    std::istringstream folders(python.isOk() ? *python : "");
    for (std::string folder; std::getline(folders, folder);) {
        if (folder.empty() || folder[0] != '/') continue;
        for (const char* package : kPackageFolders)
            addFolder(fs::path(folder) / package, "python3", copies);
    }
    addToolkits(copies);
    return copies;
}

fs::path cuptiOfPython(const std::vector<CuptiCopy>& copies) {
    for (const CuptiCopy& copy : copies) {
        if (copy.origin == "python3") return copy.path;
    }
    return {};
}

}  // namespace vramscope::collector
