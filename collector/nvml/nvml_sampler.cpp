// SPDX-License-Identifier: Apache-2.0
#include "collector/nvml/nvml_sampler.h"

#include <algorithm>
#include <array>
#include <map>

#include "collector/nvml/nvml_api.h"

namespace vramscope::nvml {
namespace {

// Far above any machine; what a library answers is bounded before it is believed.
constexpr unsigned kMostDevices = 1024;
constexpr unsigned kMostMigDevices = 64;
constexpr unsigned kMostProcesses = 1U << 16;
constexpr int kMostTries = 5;

template <typename Function, typename... Arguments>
std::string textOf(Function function, Arguments... arguments) {
    std::array<char, 128> text{};
    if (function == nullptr || function(arguments..., text.data(), text.size()) != kSuccess) return {};
    text.back() = '\0';
    return text.data();
}

std::string pciBusIdOf(const Api& api, Device device) {
    PciInfo info{};
    if (api.pciInfo == nullptr || api.pciInfo(device, &info) != kSuccess) return {};
    info.busId[sizeof info.busId - 1] = '\0';
    return info.busId;
}

/// The list of one kind of process, added to `uses`; false where there is none.
bool addProcesses(ProcessList list, Device device, std::map<unsigned, ProcessUse>& uses) {
    if (list == nullptr) return false;
    std::vector<ProcessInfo> infos(64);
    unsigned count = 0;
    Result result = kInsufficientSize;
    // Processes may start between the answer that says how many and the next question.
    for (int tried = 0; tried < kMostTries && result == kInsufficientSize; ++tried) {
        if (count > kMostProcesses) return false;
        if (count > infos.size()) infos.resize(count + 16);
        count = static_cast<unsigned>(infos.size());
        result = list(device, &count, infos.data());
        // A library that says "too small" without saying how many.
        if (result == kInsufficientSize) count = std::max(count, static_cast<unsigned>(infos.size()) * 2);
    }
    if (result != kSuccess) return false;
    infos.resize(std::min<std::size_t>(count, infos.size()));
    for (const ProcessInfo& info : infos) {
        ProcessUse& use = uses[info.pid];
        use.pid = info.pid;
        // One process may be in two lists, each with all its memory.
        if (info.usedGpuMemory != kNotAvailable)
            use.usedBytes = std::max<std::uint64_t>(use.usedBytes.value_or(0), info.usedGpuMemory);
    }
    return true;
}

std::optional<std::vector<ProcessUse>> processesOn(const Api& api, Device device) {
    std::map<unsigned, ProcessUse> uses;
    // A job's processes are in the list of compute or, under the multi-process service, in that of its
    // clients.
    const bool hasCompute = addProcesses(api.computeProcesses, device, uses);
    const bool hasClients = addProcesses(api.mpsProcesses, device, uses);
    if (!hasCompute && !hasClients) return std::nullopt;
    addProcesses(api.graphicsProcesses, device, uses);
    std::vector<ProcessUse> sorted;
    sorted.reserve(uses.size());
    for (const auto& [pid, use] : uses)
        sorted.push_back(use);
    return sorted;
}

struct Totals {
    std::uint64_t totalBytes;
    std::uint64_t usedBytes;
};

std::optional<Totals> totalsOf(const Api& api, Device device) {
    MemoryInfoV2 newer{};
    newer.version = kMemoryInfoV2;
    if (api.memoryInfoV2 != nullptr && api.memoryInfoV2(device, &newer) == kSuccess)
        return Totals{newer.total, newer.used};
    MemoryInfo info{};
    if (api.memoryInfo(device, &info) != kSuccess) return std::nullopt;
    return Totals{info.total, info.used};
}

/// The instances of a GPU in MIG mode; empty for any other.
std::vector<Device> migDevicesOf(const Api& api, Device device) {
    unsigned current = 0;
    unsigned pending = 0;
    unsigned most = 0;
    std::vector<Device> instances;
    if (api.migMode == nullptr || api.maxMigDevices == nullptr || api.migDeviceByIndex == nullptr)
        return instances;
    if (api.migMode(device, &current, &pending) != kSuccess || current == 0) return instances;
    if (api.maxMigDevices(device, &most) != kSuccess) return instances;
    for (unsigned i = 0; i < std::min(most, kMostMigDevices); ++i) {
        // Places without an instance are gaps, not the end.
        Device instance = nullptr;
        if (api.migDeviceByIndex(device, i, &instance) == kSuccess) instances.push_back(instance);
    }
    return instances;
}

}  // namespace

struct NvmlSampler::State {
    explicit State(std::shared_ptr<const Api> opened) : api(std::move(opened)) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { api->shutdown(); }

    void addGpu(Device gpu);
    void addDevice(Device device, Device gpu);

    std::shared_ptr<const Api> api;
    std::string driverVersion;
    std::vector<Device> handles;
    std::vector<DeviceFacts> facts;
};

void NvmlSampler::State::addGpu(Device gpu) {
    const std::vector<Device> instances = migDevicesOf(*api, gpu);
    for (Device instance : instances)
        addDevice(instance, gpu);
    if (instances.empty()) addDevice(gpu, gpu);
}

void NvmlSampler::State::addDevice(Device device, Device gpu) {
    DeviceFacts fact;
    fact.uuid = textOf(api->uuid, device);
    fact.name = textOf(api->name, device);
    if (fact.name.empty()) fact.name = textOf(api->name, gpu);
    fact.pciBusId = pciBusIdOf(*api, gpu);
    if (const std::optional<Totals> totals = totalsOf(*api, device)) fact.totalBytes = totals->totalBytes;
    fact.driverVersion = driverVersion;
    handles.push_back(device);
    facts.push_back(std::move(fact));
}

NvmlSampler::NvmlSampler(std::unique_ptr<State> state) : m_state(std::move(state)) {}
NvmlSampler::NvmlSampler(NvmlSampler&&) noexcept = default;
NvmlSampler& NvmlSampler::operator=(NvmlSampler&&) noexcept = default;
NvmlSampler::~NvmlSampler() = default;

StatusOr<NvmlSampler> NvmlSampler::open(const std::string& library) {
    VRAMSCOPE_ASSIGN_OR_RETURN(std::shared_ptr<const Api> api, openApi(library));
    const auto failure = [&](const char* what, Result result) {
        return Status(ErrorKind::System,
                      std::string("Memory as the driver reports it is not recorded: NVML could not ") + what +
                          " (" + api->words(result) +
                          ").\n  Check that nvidia-smi works where the recorder runs.");
    };
    if (const Result result = api->init(); result != kSuccess) return failure("start", result);
    auto state = std::make_unique<State>(api);  // from here on its end shuts NVML down
    state->driverVersion = textOf(api->driverVersion);
    unsigned count = 0;
    if (const Result result = api->deviceCount(&count); result != kSuccess)
        return failure("count devices", result);
    for (unsigned i = 0; i < std::min(count, kMostDevices); ++i) {
        // A GPU that this user may not open, or that is lost, is left out; the others are recorded.
        Device gpu = nullptr;
        if (api->deviceByIndex(i, &gpu) == kSuccess) state->addGpu(gpu);
    }
    return NvmlSampler(std::move(state));
}

const std::vector<DeviceFacts>& NvmlSampler::devices() const {
    return m_state->facts;
}

std::vector<DeviceUse> NvmlSampler::sample() const {
    std::vector<DeviceUse> uses;
    uses.reserve(m_state->handles.size());
    for (std::size_t i = 0; i < m_state->handles.size(); ++i) {
        DeviceUse use;
        use.device = i;
        if (const std::optional<Totals> totals = totalsOf(*m_state->api, m_state->handles[i]))
            use.usedBytes = totals->usedBytes;
        use.processes = processesOn(*m_state->api, m_state->handles[i]);
        uses.push_back(std::move(use));
    }
    return uses;
}

}  // namespace vramscope::nvml
