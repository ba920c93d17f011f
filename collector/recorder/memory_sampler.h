// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "collector/nvml/nvml_sampler.h"
#include "collector/recorder/capture_sink.h"
#include "collector/recorder/device_table.h"
#include "collector/recorder/tick_clock.h"

namespace vramscope::collector {

/// Samples what the driver says is in use, on whole devices and by the job's processes, into `memory_samples`
/// and `process_memory_samples`. Runs in the recorder: the job makes no call for it.
class MemorySampler {
public:
    MemorySampler(CaptureSink& sink, DeviceTable& devices) : m_sink(sink), m_devices(devices) {}

    /// Takes a sample when one is due: every 100 ms, or less often where NVML takes more than 1 ms to answer,
    /// down to once a second; a row only when something changed, but at least every second. `processIds` maps
    /// the operating-system ids of the job's processes to ours. NVML is started at the first call, on a
    /// thread of its own: it takes seconds where the driver has to be woken up, and rings fill up in less. A
    /// sample is stamped by `clock` when it has been read: NVML takes its time.
    void sampleIfDue(TickClock& clock, const std::map<std::int64_t, std::int64_t>& processIds);

private:
    struct Last {
        std::uint64_t usedBytes = 0;
        std::optional<std::uint64_t> jobBytes;
        std::uint64_t writtenNs = 0;
    };

    bool isReady(std::uint64_t nowTicks);
    void start(std::uint64_t nowTicks, StatusOr<nvml::NvmlSampler> opened);
    void write(std::uint64_t nowTicks, const nvml::DeviceUse& use,
               const std::map<std::int64_t, std::int64_t>& processIds);
    void writeProcess(std::uint64_t nowTicks, std::int64_t deviceId, std::int64_t processId,
                      std::uint64_t usedBytes);

    CaptureSink& m_sink;
    DeviceTable& m_devices;
    std::future<StatusOr<nvml::NvmlSampler>> m_opening;
    std::optional<nvml::NvmlSampler> m_nvml;
    std::vector<std::int64_t> m_deviceIds;  ///< by NVML's index
    std::map<std::int64_t, Last> m_last;    ///< by device id
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> m_lastByProcess;
    std::uint64_t m_nextSampleNs = 0;
    bool m_isStarted = false;
};

}  // namespace vramscope::collector
