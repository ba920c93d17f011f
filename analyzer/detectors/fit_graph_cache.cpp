// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "analyzer/detectors/detector.h"
#include "analyzer/model/units.h"

/// fit.pool-cache of graphs: memory that launches of graphs took, that nothing uses, and whose graphs are
/// gone.
namespace vramscope::detectors {
namespace {

constexpr std::int64_t kFewestBytes = 16 * model::kMiB;

/// An executable graph that may be launched again uses the memory again.
bool hasGraphAt(const model::Capture& capture, model::ProcessId process, std::int64_t timeNs) {
    return std::any_of(capture.objects.begin(), capture.objects.end(), [&](const model::Object& o) {
        return o.processId == process && o.kind == "graph-exec" && o.createNs <= timeNs &&
               timeNs < o.destroyNs;
    });
}

Finding describe(const Evidence& evidence, const model::GraphMemorySample& last, std::int64_t unusedBytes) {
    Finding finding;
    finding.rule = "fit.pool-cache";
    finding.findingClass = FindingClass::PoolCache;
    finding.confidence = evidence.fromAllocations();
    finding.processes = {last.processId};
    finding.bytes = unusedBytes;
    finding.count = 1;
    finding.headline = fmt::format("{} kept for graphs", model::bytesText(unusedBytes));
    finding.sentence = fmt::format(
        "Graphs that were destroyed left {} with the driver that nothing uses; a trim of graph memory would "
        "return it.",
        model::bytesText(unusedBytes));
    finding.evidence.push_back(fmt::format("At {} {} were reserved for graphs of the process.",
                                           model::momentText(last.timeNs),
                                           model::bytesText(last.reservedBytes)));
    finding.wouldProveWrong = "It is no waste if more graphs follow, which would use it.";
    finding.fingerprint = fingerprintOf(evidence.capture, finding.rule, model::StackId(), "graphs");
    return finding;
}

}  // namespace

std::vector<Finding> findGraphCaches(const Evidence& evidence) {
    const model::Capture& capture = evidence.capture;
    std::map<std::pair<model::ProcessId, model::DeviceId>, const model::GraphMemorySample*> lasts;
    for (const model::GraphMemorySample& sample : capture.graphs.memorySamples)
        lasts[{sample.processId, sample.deviceId}] = &sample;
    std::vector<Finding> findings;
    for (const auto& [place, last] : lasts) {
        if (hasGraphAt(capture, last->processId, last->timeNs)) continue;
        // Beside blocks that live the driver keeps more than they need, and no trim takes that away.
        const bool isInUse = std::any_of(capture.buffers.begin(), capture.buffers.end(), [&](const auto& b) {
            return b.kind == model::BufferKind::Graph && b.processId == last->processId &&
                   b.isLiveAt(last->timeNs);
        });
        if (!isInUse && last->reservedBytes >= kFewestBytes)
            findings.push_back(describe(evidence, *last, last->reservedBytes));
    }
    return findings;
}

}  // namespace vramscope::detectors
