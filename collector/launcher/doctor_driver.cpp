// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <fmt/format.h>

#include "collector/launcher/doctor_groups.h"

namespace vramscope::collector {

namespace {

// CUPTI's ids, which the collector's tables are made of, are those of CUDA 12 and later.
constexpr int kOldestDriver = 12000;

std::string fixFor(const DriverProbe& driver) {
    if (driver.path.empty()) {
        return "Install the NVIDIA driver. In a container: start it with the GPUs (docker run --gpus all).";
    }
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
        return fmt::format("CUDA_VISIBLE_DEVICES is '{}' here; unset it, or name devices that exist.",
                           visible);
    }
    return "Run nvidia-smi; if it fails, too, reload or reinstall the driver. In a container: is "
           "/dev/nvidia0 there?";
}

}  // namespace

Checks checkDriver(const DriverProbe& driver) {
    if (!driver.works()) return {failCheck("driver", driver.trouble, fixFor(driver))};
    Checks checks;
    const std::string text = fmt::format("CUDA {}, {}", driver.versionText(), driver.path);
    if (driver.version < kOldestDriver) {
        checks.push_back(
            failCheck("driver", text, "Update the driver: CUDA 12.0 (525.60) is the oldest that works."));
    } else {
        checks.push_back(okCheck("driver", text));
    }
    std::string names;
    for (const std::string& name : driver.devices)
        names += (names.empty() ? "" : ", ") + name;
    checks.push_back(okCheck("devices", fmt::format("{}: {}", driver.devices.size(), names)));
    return checks;
}

}  // namespace vramscope::collector
