// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/context_cost.h"

#include <algorithm>
#include <map>

#include "analyzer/model/tracked_memory.h"

namespace vramscope::model {
namespace {

/// What the driver reported of one process, or of all with no process.
struct Series {
    struct Sample {
        std::int64_t timeNs;
        std::int64_t usedBytes;
    };
    ProcessId process;
    std::vector<Sample> samples;  // by time
};

/// More pauses between samples than this are judged as one: each costs a walk over all buffers.
constexpr std::size_t kMostIntervals = 32;

std::vector<Series> seriesOf(const Capture& capture, DeviceId device) {
    std::map<ProcessId, Series> byProcess;
    for (const ProcessMemorySample& sample : capture.processMemorySamples) {
        if (sample.deviceId != device) continue;
        Series& series = byProcess[sample.processId];
        series.process = sample.processId;
        series.samples.push_back({sample.timeNs, sample.usedBytes});
    }
    std::vector<Series> list;
    for (auto& [process, series] : byProcess)
        list.push_back(std::move(series));
    if (!list.empty()) return list;
    Series all;
    for (const MemorySample& sample : capture.memorySamples) {
        // A process that the driver does not list yet has no context to measure.
        const std::int64_t bytes = sample.jobBytes.value_or(sample.usedBytes);
        if (sample.deviceId == device && bytes > 0) all.samples.push_back({sample.timeNs, bytes});
    }
    return {all};
}

std::int64_t contextStartOf(const Capture& capture, DeviceId device, ProcessId process) {
    std::int64_t startNs = kNever;
    for (const Context& context : capture.contexts) {
        const bool isOurs = process.isNone() || context.processId == process;
        if (context.deviceId == device && isOurs) startNs = std::min(startNs, context.startNs);
    }
    return startNs;
}

bool hasContextAt(const Capture& capture, DeviceId device, ProcessId process, std::int64_t timeNs) {
    return std::any_of(capture.contexts.begin(), capture.contexts.end(), [&](const Context& context) {
        const bool isOurs = process.isNone() || context.processId == process;
        return isOurs && context.deviceId == device && context.startNs <= timeNs && timeNs < context.endNs;
    });
}

/// True when a kernel was launched for the first time, or a module loaded, in (afterNs, untilNs].
bool codeCameIn(const Capture& capture, ProcessId process, std::int64_t afterNs, std::int64_t untilNs) {
    const auto isIn = [&](const std::vector<std::int64_t>& timesNs) {
        const auto at = std::upper_bound(timesNs.begin(), timesNs.end(), afterNs);
        return at != timesNs.end() && *at <= untilNs;
    };
    if (!process.isNone()) {
        const auto at = capture.codeArrivalNs.find(process);
        return at != capture.codeArrivalNs.end() && isIn(at->second);
    }
    return std::any_of(capture.codeArrivalNs.begin(), capture.codeArrivalNs.end(),
                       [&](const auto& entry) { return isIn(entry.second); });
}

/// What one process's memory grew by, beyond what is tracked, in the pauses between samples in which code
/// arrived; `first` is where its context cost was measured, `last` the last sample to look at.
std::int64_t grownWithCode(const Capture& capture, const Series& series, const TrackedMemory& tracked,
                           std::size_t first, std::size_t last) {
    std::vector<std::pair<std::size_t, std::size_t>> intervals;
    for (std::size_t i = first; i < last; ++i) {
        const bool hasCode =
            codeCameIn(capture, series.process, series.samples[i].timeNs, series.samples[i + 1].timeNs);
        if (!hasCode) continue;
        if (intervals.size() < kMostIntervals)
            intervals.emplace_back(i, i + 1);
        else
            intervals.back().second = i + 1;
    }
    const auto beyond = [&](std::size_t i) {
        return series.samples[i].usedBytes - tracked.at(series.samples[i].timeNs).total();
    };
    std::int64_t grown = 0;
    for (const auto& [from, to] : intervals)
        grown = std::max<std::int64_t>(addClamped(grown, beyond(to) - beyond(from)), 0);
    return grown;
}

void addProcess(const Capture& capture, DeviceId device, const Series& series, std::int64_t timeNs,
                ContextCost& cost) {
    const auto after =
        std::upper_bound(series.samples.begin(), series.samples.end(), timeNs,
                         [](std::int64_t time, const Series::Sample& s) { return time < s.timeNs; });
    if (after == series.samples.begin()) return;
    const auto last = static_cast<std::size_t>(after - series.samples.begin()) - 1;
    const std::int64_t startNs = contextStartOf(capture, device, series.process);
    // A process that is gone from the driver's list leaves its last number behind.
    const Process* process = capture.processes.find(series.process);
    const bool isWithoutContext = startNs <= timeNs && !hasContextAt(capture, device, series.process, timeNs);
    if (isWithoutContext || (process && process->endNs <= timeNs)) return;
    const auto base = std::find_if(series.samples.begin(), series.samples.end(),
                                   [&](const Series::Sample& sample) { return sample.timeNs >= startNs; });
    if (startNs > timeNs || base == series.samples.end() || base->timeNs > timeNs) {
        cost.startingBytes = addClamped(cost.startingBytes, series.samples[last].usedBytes);
        return;
    }
    const auto first = static_cast<std::size_t>(base - series.samples.begin());
    const TrackedMemory tracked(capture, device, series.process);
    const std::int64_t beyondAtFirst = base->usedBytes - tracked.at(base->timeNs).total();
    cost.contextBytes = addClamped(cost.contextBytes, std::max<std::int64_t>(beyondAtFirst, 0));
    cost.laterBytes = addClamped(cost.laterBytes, grownWithCode(capture, series, tracked, first, last));
}

}  // namespace

ContextCost contextCostAt(const Capture& capture, DeviceId device, std::int64_t timeNs) {
    ContextCost cost;
    for (const Series& series : seriesOf(capture, device))
        addProcess(capture, device, series, timeNs, cost);
    return cost;
}

}  // namespace vramscope::model
