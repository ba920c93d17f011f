// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/capture_name.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace vramscope::collector {

namespace fs = std::filesystem;

fs::path freeCaptureName(const std::string& program) {
    const std::string stem = fs::path(program).filename().string();
    fs::path name = stem + ".vramscope";
    std::error_code error;
    for (int number = 2; fs::exists(name, error); ++number)
        name = fmt::format("{}.{}.vramscope", stem, number);
    return name;
}

namespace {

std::string valueOf(char key) {
    if (key == 'p') return std::to_string(::getpid());
    if (key == 'r') {
        for (const char* name : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
            if (const char* rank = std::getenv(name)) return rank;
        }
        return "0";
    }
    if (key == 'h') {
        char host[256] = "";
        ::gethostname(host, sizeof(host) - 1);
        return host;
    }
    return std::string(1, key);
}

}  // namespace

fs::path expandCaptureName(const std::string& pattern) {
    std::string name;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '%' && i + 1 < pattern.size()) {
            name += valueOf(pattern[++i]);
        } else {
            name += pattern[i];
        }
    }
    return name;
}

}  // namespace vramscope::collector
