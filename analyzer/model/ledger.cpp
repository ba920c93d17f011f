// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/ledger.h"

#include <algorithm>

namespace vramscope::model {
namespace {

/// False for a sample that was taken while a process came or went: the driver's number lacks what the record
/// still or already has. Managed memory may lie in host memory, so with it live bytes are no lower bound.
bool showsWholeJob(const MemorySample& sample, std::int64_t liveBytes, bool hasManaged) {
    const std::int64_t reported = sample.jobBytes.value_or(sample.usedBytes);
    return hasManaged ? reported > 0 || liveBytes == 0 : reported >= liveBytes;
}

/// The first of the samples with the most live bytes among those that show the whole job.
const MemorySample* fullestSample(const Capture& capture, const TrackedMemory& tracked, DeviceId device) {
    const bool hasManaged = std::any_of(capture.buffers.begin(), capture.buffers.end(),
                                        [](const Buffer& b) { return b.kind == BufferKind::Managed; });
    const MemorySample* fullest = nullptr;
    std::int64_t mostBytes = -1;
    for (const MemorySample& sample : capture.memorySamples) {
        if (sample.deviceId != device) continue;
        const std::int64_t bytes = tracked.liveBytesAt(sample.timeNs);
        if (bytes <= mostBytes || !showsWholeJob(sample, bytes, hasManaged)) continue;
        mostBytes = bytes;
        fullest = &sample;
    }
    return fullest;
}

}  // namespace

std::vector<Ledger> ledgersAtPeak(const Capture& capture) {
    std::vector<Ledger> ledgers;
    for (const Device& device : capture.devices) {
        const TrackedMemory tracked(capture, device.id);
        const MemorySample* sample = fullestSample(capture, tracked, device.id);
        if (!sample) continue;
        Ledger& ledger = ledgers.emplace_back();
        ledger.deviceId = device.id;
        ledger.timeNs = sample->timeNs;
        ledger.reportedBytes = sample->jobBytes.value_or(sample->usedBytes);
        ledger.isWholeDevice = !sample->jobBytes;
        ledger.tracked = tracked.at(sample->timeNs);
        ledger.cost = contextCostAt(capture, device.id, sample->timeNs);
        ledger.notAccountedBytes = ledger.reportedBytes - ledger.tracked.total() - ledger.cost.total();
        ledger.othersBytes = sample->othersBytes;
        ledger.freeBytes = std::max<std::int64_t>(device.totalBytes - sample->usedBytes, 0);
        ledger.totalBytes = device.totalBytes;
    }
    return ledgers;
}

const MemorySample* sampleBefore(const Capture& capture, DeviceId device, std::int64_t timeNs) {
    const MemorySample* latest = nullptr;
    for (const MemorySample& sample : capture.memorySamples) {
        if (sample.timeNs > timeNs) break;
        if (sample.deviceId == device) latest = &sample;
    }
    return latest;
}

}  // namespace vramscope::model
