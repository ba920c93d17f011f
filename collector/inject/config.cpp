// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/config.h"

#include <cstdlib>
#include <cstring>
#include <sys/auxv.h>

namespace vramscope::collector {

namespace {

void copyPath(char (&target)[256], const char* value) {
    if (value == nullptr) return;
    const std::size_t length = std::strlen(value);
    if (length < sizeof(target)) std::memcpy(target, value, length + 1);
}

bool isOn(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && std::strcmp(value, "1") == 0;
}

bool equals(const char* value, const char* expected) {
    return value != nullptr && std::strcmp(value, expected) == 0;
}

}  // namespace

Config readConfig() {
    Config config{};
    config.recordMode = RecordMode::All;
    config.stackDepth = 64;
    if (::getauxval(AT_SECURE) != 0) return config;

    copyPath(config.sessionDirectory, std::getenv("VRAMSCOPE_SESSION"));
    copyPath(config.fallbackDirectory, std::getenv("VRAMSCOPE_FALLBACK"));
    copyPath(config.marksDirectory, std::getenv("VRAMSCOPE_MARKS"));
    if (const char* bytes = std::getenv("VRAMSCOPE_RING_BYTES"))
        config.ringBytes = std::strtoull(bytes, nullptr, 10);
    const char* mode = std::getenv("VRAMSCOPE_RECORD");
    if (equals(mode, "allocs")) config.recordMode = RecordMode::Allocations;
    if (equals(mode, "launches")) config.recordMode = RecordMode::Launches;
    if (equals(std::getenv("VRAMSCOPE_ENGINE"), "exact")) config.engine = Engine::Exact;
    if (equals(std::getenv("VRAMSCOPE_ON_FULL"), "drop")) config.onFull = OnFull::Drop;
    if (equals(std::getenv("VRAMSCOPE_CLOCK"), "counter")) config.clockKind = formats::ClockKind::Counter;
    config.hooksLaunches = !equals(std::getenv("VRAMSCOPE_LAUNCH_HOOKS"), "0");
    config.launchStacks = isOn("VRAMSCOPE_LAUNCH_STACKS");
    config.require = isOn("VRAMSCOPE_REQUIRE");
    config.poisons = isOn("VRAMSCOPE_POISON");
    if (const char* guard = std::getenv("VRAMSCOPE_GUARD")) {
        config.guardsSlack = std::strcmp(guard, "slack") == 0;
        const unsigned long bytes = std::strtoul(guard, nullptr, 10);
        if (bytes <= kMaxGuardBytes) config.guardBytes = static_cast<std::uint32_t>(bytes);
        if (config.guardsSlack) config.guardBytes = kMaxGuardBytes;
    }
    config.guardsEveryLaunch = isOn("VRAMSCOPE_GUARD_EVERY_LAUNCH");
    copyPath(config.watch, std::getenv("VRAMSCOPE_WATCH"));
    if (const char* seed = std::getenv("VRAMSCOPE_PERTURB"); seed != nullptr && seed[0] != '\0') {
        config.perturbs = true;
        config.perturbSeed = std::strtoull(seed, nullptr, 10);
    }
    const char* rule = std::getenv("VRAMSCOPE_TASK_RULE");
    if (equals(rule, "thread")) config.unmarkedWork = UnmarkedWork::Thread;
    if (equals(rule, "other")) config.unmarkedWork = UnmarkedWork::Other;
    if (const char* depth = std::getenv("VRAMSCOPE_STACK_DEPTH")) {
        const unsigned long frames = std::strtoul(depth, nullptr, 10);
        if (frames >= 1 && frames <= 256) config.stackDepth = static_cast<std::uint32_t>(frames);
    }
    return config;
}

}  // namespace vramscope::collector
