// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace vramscope::sim {

/// The simulated machine as the environment describes it (README.md lists the variables).
struct Settings {
    std::string devicePath;    ///< file that all processes of the machine map
    uint64_t memoryBytes = 0;  ///< capacity of each device, a multiple of 2 MiB
    uint32_t deviceCount = 1;  ///< at most kMaximumDevices
    uint64_t seed = 1;         ///< orders streams against each other
};

inline constexpr uint32_t kMaximumDevices = 8;

/// Reads the environment; unset or unusable values give the defaults.
Settings settingsFromEnvironment();

}  // namespace vramscope::sim
