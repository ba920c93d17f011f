// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/tracked_memory.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/model/small_pages.h"

namespace vramscope::model {

TrackedMemory::TrackedMemory(const Capture& capture, DeviceId device, ProcessId process)
    : m_capture(capture), m_device(device), m_process(process), m_live(capture, device, process) {}

namespace {

/// What one pool is known to hold at a moment.
struct PoolState {
    std::int64_t sampleNs = 0;
    std::int64_t reservedBytes = 0;
    std::int64_t liveBytes = 0;
    /// Changes of its live bytes since the sample, by time; frees before allocations at one moment.
    std::vector<std::pair<std::int64_t, std::int64_t>> changes;
    std::int64_t liveAtSample = 0;
    bool keepsWhatWasFreed = false;

    /// Readings come with synchronisations. A pool that keeps what was freed has held the most that was live
    /// since the last one; another may have given it back at a synchronisation that was not read.
    std::int64_t unusedBytes() {
        if (!keepsWhatWasFreed) return std::max<std::int64_t>(reservedBytes - liveBytes, 0);
        std::sort(changes.begin(), changes.end());
        std::int64_t live = liveAtSample;
        std::int64_t most = std::max(reservedBytes, live);
        for (const auto& [timeNs, bytes] : changes)
            most = std::max(most, live += bytes);
        return std::max<std::int64_t>(most - liveBytes, 0);
    }
};

}  // namespace

std::int64_t TrackedMemory::poolUnusedAt(std::int64_t timeNs) const {
    std::map<PoolId, PoolState> states;
    for (const Pool& pool : m_capture.pools) {
        const bool isOurs = pool.deviceId == m_device && isWanted(pool.processId);
        if (isOurs && pool.startNs <= timeNs && timeNs < pool.endNs)
            states[pool.id].keepsWhatWasFreed = pool.releaseThresholdBytes.value_or(0) > 0;
    }
    if (states.empty()) return 0;
    for (const PoolSample& sample : m_capture.poolSamples) {
        if (sample.timeNs > timeNs) break;
        const auto at = states.find(sample.poolId);
        if (at == states.end()) continue;
        at->second.sampleNs = sample.timeNs;
        at->second.reservedBytes = sample.reservedBytes;
    }
    for (const Buffer& b : m_capture.buffers) {
        const auto at = states.find(b.poolId);
        if (at == states.end() || b.kind != BufferKind::Async || b.allocNs > timeNs) continue;
        PoolState& state = at->second;
        if (b.isLiveAt(timeNs)) state.liveBytes += b.sizeBytes;
        if (b.isLiveAt(state.sampleNs)) state.liveAtSample += b.sizeBytes;
        if (b.allocNs > state.sampleNs) state.changes.emplace_back(b.allocNs, b.sizeBytes);
        if (b.freeNs > state.sampleNs && b.freeNs <= timeNs)
            state.changes.emplace_back(b.freeNs, -b.sizeBytes);
    }
    std::int64_t unused = 0;
    for (auto& [pool, state] : states)
        unused = addClamped(unused, state.unusedBytes());
    return unused;
}

// The driver's own number for memory of graphs in use counts what a launch has freed, too.
std::int64_t TrackedMemory::graphUnusedAt(std::int64_t timeNs) const {
    std::map<ProcessId, std::int64_t> unusedOf;
    for (const GraphMemorySample& sample : m_capture.graphs.memorySamples) {
        if (sample.timeNs > timeNs) break;
        const Process* process = m_capture.processes.find(sample.processId);
        const bool isThere = !process || timeNs < process->endNs;
        if (sample.deviceId == m_device && isWanted(sample.processId) && isThere)
            unusedOf[sample.processId] = sample.reservedBytes;
    }
    if (unusedOf.empty()) return 0;
    for (const Buffer& b : m_capture.buffers) {
        const auto at = unusedOf.find(b.processId);
        const bool isOfGraph = b.kind == BufferKind::Graph && b.deviceId == m_device && b.isLiveAt(timeNs);
        if (isOfGraph && at != unusedOf.end()) at->second -= b.sizeBytes;
    }
    std::int64_t unused = 0;
    for (const auto& [process, bytes] : unusedOf)
        unused = addClamped(unused, std::max<std::int64_t>(bytes, 0));
    return unused;
}

std::int64_t TrackedMemory::roundingAt(std::int64_t timeNs) const {
    std::int64_t rounding = 0;
    for (const Buffer& b : m_capture.buffers) {
        const bool isPlain = b.kind == BufferKind::Device || b.kind == BufferKind::Array;
        if (b.deviceId != m_device || !isPlain || sharesPage(b) || !b.isLiveAt(timeNs)) continue;
        if (isWanted(b.processId)) rounding = addClamped(rounding, roundUpToPage(b.sizeBytes) - b.sizeBytes);
    }
    for (const Process& process : m_capture.processes) {
        if (!isWanted(process.id)) continue;
        const SmallPages pages = smallPagesAt(m_capture, process.id, m_device, timeNs);
        rounding = addClamped(rounding, pages.heldPageBytes - pages.liveBytes);
    }
    return rounding;
}

std::int64_t TrackedMemory::oursAt(std::int64_t timeNs) const {
    std::int64_t bytes = 0;
    for (const Context& context : m_capture.contexts) {
        const bool isLive = context.startNs <= timeNs && timeNs < context.endNs;
        if (context.deviceId == m_device && isLive && isWanted(context.processId))
            bytes = addClamped(bytes, context.collectorBytes);
    }
    return bytes;
}

TrackedBytes TrackedMemory::at(std::int64_t timeNs) const {
    return {m_live.liveBytesAt(timeNs), addClamped(poolUnusedAt(timeNs), graphUnusedAt(timeNs)),
            roundingAt(timeNs), oursAt(timeNs)};
}

}  // namespace vramscope::model
