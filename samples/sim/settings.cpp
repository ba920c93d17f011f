// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/settings.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

#include "samples/sim/device_file.h"

namespace vramscope::sim {
namespace {

constexpr uint64_t kDefaultMemoryBytes = 8ull << 30;
constexpr uint64_t kMaximumMemoryBytes = 512ull << 30;

/// "8GiB", "512M", "1073741824": binary units, whatever their spelling; 0 when it is no size.
uint64_t parseSize(const char* text) {
    char* end = nullptr;
    uint64_t value = std::strtoull(text, &end, 10);
    switch (*end) {
        case 'k':
        case 'K':
            return value << 10;
        case 'm':
        case 'M':
            return value << 20;
        case 'g':
        case 'G':
            return value << 30;
        case 't':
        case 'T':
            return value << 40;
        case '\0':
            return value;
        default:
            return 0;
    }
}

}  // namespace

Settings settingsFromEnvironment() {
    Settings settings;
    if (const char* path = std::getenv("VRAMSCOPE_SIM_DEVICE"); path && *path) {
        settings.devicePath = path;
    } else {
        const char* folder = std::getenv("TMPDIR");
        settings.devicePath =
            std::string(folder && *folder ? folder : "/tmp") + "/vramscope-sim-" + std::to_string(getuid());
    }
    const char* memory = std::getenv("VRAMSCOPE_SIM_MEMORY");
    const uint64_t wantedBytes = memory ? parseSize(memory) : 0;
    settings.memoryBytes = wantedBytes ? std::min(wantedBytes, kMaximumMemoryBytes) : kDefaultMemoryBytes;
    settings.memoryBytes = (settings.memoryBytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    if (const char* count = std::getenv("VRAMSCOPE_SIM_DEVICES")) {
        settings.deviceCount = static_cast<uint32_t>(std::clamp(std::atoi(count), 0, int(kMaximumDevices)));
    }
    if (const char* seed = std::getenv("VRAMSCOPE_SIM_SEED"))
        settings.seed = std::strtoull(seed, nullptr, 10);
    return settings;
}

}  // namespace vramscope::sim
