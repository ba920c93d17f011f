// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/memory_sampler.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "formats/job_clock.h"

namespace vramscope::collector {

namespace {
constexpr std::uint64_t kSampleEveryNs = 100'000'000;
constexpr std::uint64_t kLongestWaitNs = 1'000'000'000;
/// Of the time, at most one part in this many goes into asking.
constexpr std::uint64_t kShareOfTime = 100;
constexpr std::uint64_t kRowEveryNs = 1'000'000'000;
constexpr std::chrono::milliseconds kStartPatience(50);
}  // namespace

bool MemorySampler::isReady(std::uint64_t nowTicks) {
    if (m_isStarted) return m_nvml.has_value();
    // The first call waits for what is usual, so that jobs which end at once have a sample, too.
    std::chrono::milliseconds patience(0);
    if (!m_opening.valid()) {
        m_opening = std::async(std::launch::async, [] { return nvml::NvmlSampler::open(); });
        patience = kStartPatience;
    }
    if (m_opening.wait_for(patience) != std::future_status::ready) return false;
    m_isStarted = true;
    start(nowTicks, m_opening.get());
    return m_nvml.has_value();
}

void MemorySampler::start(std::uint64_t nowTicks, StatusOr<nvml::NvmlSampler> opened) {
    if (!opened.isOk()) {
        m_sink.addNote(nowTicks, 0, "info", "no-nvml", opened.status().message());
        return;
    }
    m_nvml.emplace(std::move(opened.value()));
    for (const nvml::DeviceFacts& facts : m_nvml->devices()) {
        const std::int64_t id = m_devices.idOf(facts.uuid, facts.name, facts.totalBytes);
        m_devices.describe(id, facts.uuid, facts.pciBusId, facts.driverVersion);
        m_deviceIds.push_back(id);
    }
}

void MemorySampler::sampleIfDue(TickClock& clock, const std::map<std::int64_t, std::int64_t>& processIds) {
    const std::uint64_t nowNs = formats::monotonicNs();
    if (nowNs < m_nextSampleNs) return;
    if (!isReady(clock.now())) return;
    const std::uint64_t askedNs = formats::monotonicNs();
    const std::vector<nvml::DeviceUse> uses = m_nvml->sample();
    const std::uint64_t costNs = formats::monotonicNs() - askedNs;
    m_nextSampleNs = askedNs + std::clamp(kShareOfTime * costNs, kSampleEveryNs, kLongestWaitNs);
    const std::uint64_t nowTicks = clock.now();
    for (const nvml::DeviceUse& use : uses) {
        if (use.usedBytes && use.device < m_deviceIds.size()) write(nowTicks, use, processIds);
    }
}

void MemorySampler::write(std::uint64_t nowTicks, const nvml::DeviceUse& use,
                          const std::map<std::int64_t, std::int64_t>& processIds) {
    const std::int64_t deviceId = m_deviceIds[use.device];
    std::optional<std::uint64_t> jobBytes;
    std::optional<std::uint64_t> othersBytes;
    if (use.processes) {
        jobBytes = othersBytes = 0;
        for (const nvml::ProcessUse& process : *use.processes) {
            const auto ours = processIds.find(process.pid);
            *(ours != processIds.end() ? jobBytes : othersBytes) += process.usedBytes.value_or(0);
            if (ours != processIds.end() && process.usedBytes) {
                writeProcess(nowTicks, deviceId, ours->second, *process.usedBytes);
            }
        }
    }
    Last& last = m_last[deviceId];
    const std::uint64_t nowNs = formats::monotonicNs();
    const bool isSame = last.usedBytes == *use.usedBytes && last.jobBytes == jobBytes;
    if (isSame && nowNs < last.writtenNs + kRowEveryNs) return;
    last = {*use.usedBytes, jobBytes, nowNs};
    m_sink.run(
        "INSERT INTO memory_samples(time_ns, device_id, used_bytes, job_bytes, others_bytes) "
        "VALUES(?,?,?,?,?)",
        m_sink.sessionTime(nowTicks), deviceId, *use.usedBytes, jobBytes, othersBytes);
}

void MemorySampler::writeProcess(std::uint64_t nowTicks, std::int64_t deviceId, std::int64_t processId,
                                 std::uint64_t usedBytes) {
    std::uint64_t& last = m_lastByProcess[{deviceId, processId}];
    if (last == usedBytes) return;
    last = usedBytes;
    m_sink.run(
        "INSERT INTO process_memory_samples(time_ns, device_id, process_id, used_bytes) VALUES(?,?,?,?)",
        m_sink.sessionTime(nowTicks), deviceId, processId, usedBytes);
}

}  // namespace vramscope::collector
