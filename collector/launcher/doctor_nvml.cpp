// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "collector/launcher/doctor_groups.h"
#include "collector/launcher/probe_answer.h"
#include "collector/launcher/probe_child.h"
#include "collector/nvml/nvml_sampler.h"

namespace vramscope::collector {

namespace {

std::string describeNvml() {
    ProbeAnswer answer;
    StatusOr<nvml::NvmlSampler> sampler = nvml::NvmlSampler::open();
    if (!sampler.isOk()) {
        answer.add("error", sampler.status().message());
        return answer.text();
    }
    for (const nvml::DeviceFacts& device : sampler->devices()) {
        answer.add("device", device.name);
        answer.add("driver", device.driverVersion);
    }
    for (const nvml::DeviceUse& use : sampler->sample()) {
        if (!use.usedBytes) answer.add("silent", "1");
        if (!use.processes) answer.add("hidden", "1");
    }
    return answer.text();
}

}  // namespace

Checks checkNvml() {
    constexpr const char* kMissing =
        "The capture will lack what the driver itself reports, so the ledger ends at what we saw. ";
    const StatusOr<std::string> text = askInChild(describeNvml, std::chrono::seconds(20));
    const std::string failed =
        text.isOk() ? ProbeAnswer(*text).first("error") : "NVML " + text.status().message();
    if (!failed.empty()) {
        return {
            warnCheck("nvml", failed, std::string(kMissing) + "libnvidia-ml.so.1 comes with the driver.")};
    }
    const ProbeAnswer answer(*text);
    const std::size_t devices = answer.all("device").size();
    const std::string found =
        fmt::format("driver {}, {} device{}", answer.first("driver"), devices, devices == 1 ? "" : "s");
    if (!answer.first("silent").empty()) {
        return {warnCheck("nvml", found + ", which tell no memory in use", kMissing)};
    }
    if (!answer.first("hidden").empty()) {
        return {warnCheck(
            "nvml", found + ", without a list of processes",
            "Memory of other processes is shown as one sum for each device. In a container this is usual; "
            "--pid=host shows them.")};
    }
    return {okCheck("nvml", found)};
}

}  // namespace vramscope::collector
