// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/ledger.h"

#include <algorithm>
#include <map>

#include "analyzer/model/live_timeline.h"
#include "analyzer/model/small_pages.h"

namespace vramscope::model {
namespace {

std::int64_t poolUnusedAt(const Capture& capture, DeviceId device, std::int64_t timeNs) {
    std::map<PoolId, std::int64_t> reserved;
    for (const PoolSample& sample : capture.poolSamples) {
        if (sample.timeNs > timeNs) break;
        const Pool* pool = capture.pools.find(sample.poolId);
        if (pool && pool->deviceId == device && timeNs < pool->endNs)
            reserved[sample.poolId] = sample.reservedBytes;
    }
    for (const Buffer& b : capture.buffers) {
        const auto at = reserved.find(b.poolId);
        if (at != reserved.end() && b.kind == BufferKind::Async && b.isLiveAt(timeNs))
            at->second -= b.sizeBytes;
    }
    std::int64_t unused = 0;
    for (const auto& [pool, bytes] : reserved)
        unused = addClamped(unused, std::max<std::int64_t>(bytes, 0));
    return unused;
}

std::int64_t roundingAt(const Capture& capture, DeviceId device, std::int64_t timeNs) {
    std::int64_t rounding = 0;
    for (const Buffer& b : capture.buffers) {
        const bool isPlain = b.kind == BufferKind::Device || b.kind == BufferKind::Array;
        if (b.deviceId != device || !isPlain || sharesPage(b) || !b.isLiveAt(timeNs)) continue;
        rounding = addClamped(rounding, roundUpToPage(b.sizeBytes) - b.sizeBytes);
    }
    for (const Process& process : capture.processes) {
        const SmallPages pages = smallPagesAt(capture, process.id, device, timeNs);
        rounding = addClamped(rounding, pages.heldPageBytes - pages.liveBytes);
    }
    return rounding;
}

std::int64_t oursAt(const Capture& capture, DeviceId device, std::int64_t timeNs) {
    std::int64_t bytes = 0;
    for (const Context& context : capture.contexts) {
        const bool isLive = context.startNs <= timeNs && timeNs < context.endNs;
        if (context.deviceId == device && isLive) bytes = addClamped(bytes, context.collectorBytes);
    }
    return bytes;
}

/// What the driver reports beyond all that is tracked.
std::int64_t beyondTracked(const Ledger& ledger) {
    return ledger.reportedBytes - ledger.liveBytes - ledger.poolUnusedBytes - ledger.roundingBytes -
           ledger.oursBytes;
}

Ledger trackedAt(const Capture& capture, const LiveTimeline& live, const MemorySample& sample) {
    Ledger ledger;
    ledger.deviceId = sample.deviceId;
    ledger.timeNs = sample.timeNs;
    ledger.isWholeDevice = !sample.jobBytes;
    ledger.reportedBytes = sample.jobBytes.value_or(sample.usedBytes);
    ledger.othersBytes = sample.othersBytes;
    ledger.liveBytes = live.liveBytesAt(sample.timeNs);
    ledger.poolUnusedBytes = poolUnusedAt(capture, sample.deviceId, sample.timeNs);
    ledger.roundingBytes = roundingAt(capture, sample.deviceId, sample.timeNs);
    ledger.oursBytes = oursAt(capture, sample.deviceId, sample.timeNs);
    if (const Device* device = capture.devices.find(sample.deviceId)) ledger.totalBytes = device->totalBytes;
    ledger.freeBytes = std::max<std::int64_t>(ledger.totalBytes - sample.usedBytes, 0);
    return ledger;
}

/// The first sample of the device at which the job had a context there.
const MemorySample* firstWithContext(const Capture& capture, DeviceId device) {
    std::int64_t startNs = kNever;
    for (const Context& context : capture.contexts) {
        if (context.deviceId == device) startNs = std::min(startNs, context.startNs);
    }
    for (const MemorySample& sample : capture.memorySamples) {
        // A process that the driver does not list yet has no context to measure.
        const bool seesJob = sample.jobBytes.value_or(sample.usedBytes) > 0;
        if (sample.deviceId == device && sample.timeNs >= startNs && seesJob) return &sample;
    }
    return nullptr;
}

const MemorySample* fullestSample(const Capture& capture, const LiveTimeline& live, DeviceId device) {
    const MemorySample* fullest = nullptr;
    std::int64_t mostBytes = -1;
    for (const MemorySample& sample : capture.memorySamples) {
        if (sample.deviceId != device) continue;
        const std::int64_t bytes = live.liveBytesAt(sample.timeNs);
        if (bytes <= mostBytes) continue;
        mostBytes = bytes;
        fullest = &sample;
    }
    return fullest;
}

}  // namespace

std::vector<Ledger> ledgersAtPeak(const Capture& capture) {
    std::vector<Ledger> ledgers;
    for (const Device& device : capture.devices) {
        const LiveTimeline live(capture, device.id);
        const MemorySample* sample = fullestSample(capture, live, device.id);
        if (!sample) continue;
        Ledger ledger = trackedAt(capture, live, *sample);
        if (const MemorySample* first = firstWithContext(capture, device.id)) {
            const std::int64_t atFirst = beyondTracked(trackedAt(capture, live, *first));
            ledger.contextBytes =
                std::clamp<std::int64_t>(atFirst, 0, std::max<std::int64_t>(beyondTracked(ledger), 0));
        }
        ledger.notAccountedBytes = beyondTracked(ledger) - ledger.contextBytes;
        ledgers.push_back(ledger);
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
