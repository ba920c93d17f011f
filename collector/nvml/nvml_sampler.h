// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/status.h"

namespace vramscope::nvml {

struct Api;

/// A device that NVML lists: a GPU, or for a GPU in MIG mode each of its instances.
struct DeviceFacts {
    std::string uuid;      ///< "GPU-..." or "MIG-..."; empty when the driver does not tell
    std::string name;      ///< for example "NVIDIA H200"
    std::string pciBusId;  ///< of the GPU, for example "00000000:1B:00.0"
    std::uint64_t totalBytes = 0;
    std::string driverVersion;  ///< of the display driver, for example "580.159.04"
};

/// What one process holds on one device.
struct ProcessUse {
    std::int64_t pid = 0;                    ///< in the pid namespace of the caller
    std::optional<std::uint64_t> usedBytes;  ///< empty where the driver knows the process but not its bytes
};

/// Memory of one device at one moment.
struct DeviceUse {
    std::size_t device = 0;  ///< index into NvmlSampler::devices()
    /// Used on the device, without what the driver reserves for itself where it can tell them apart (as in
    /// nvidia-smi); empty when it could not be read.
    std::optional<std::uint64_t> usedBytes;
    /// Processes in order of pid; empty optional where the driver has no list (it hides processes, or is too
    /// old).
    std::optional<std::vector<ProcessUse>> processes;
};

/// Reads memory in use from NVML. Costs the job nothing: it makes no CUDA context. Not safe for two threads
/// at once. Must not be used in a child after fork().
class NvmlSampler {
public:
    /// Starts NVML and lists the devices. That it is not there is no reason to stop: the error (System) says
    /// in words what will be missing and why.
    static StatusOr<NvmlSampler> open(const std::string& library = "libnvidia-ml.so.1");

    NvmlSampler(NvmlSampler&&) noexcept;
    NvmlSampler& operator=(NvmlSampler&&) noexcept;
    ~NvmlSampler();

    const std::vector<DeviceFacts>& devices() const;
    /// One entry a device. A device that is lost meanwhile has nothing filled in. About 0.1 ms a device.
    std::vector<DeviceUse> sample() const;

private:
    struct State;
    explicit NvmlSampler(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace vramscope::nvml
