// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/out_of_memory.h"
#include "analyzer/model/breakdown.h"
#include "analyzer/model/ledger.h"
#include "analyzer/model/live_timeline.h"
#include "analyzer/model/small_pages.h"
#include "analyzer/model/units.h"

/// fit.out-of-memory: a request that failed for good, and what held the card. A request that the allocator
/// got after making room is told as recovered, with the time it cost.
namespace vramscope::detectors {
namespace {

using model::Capture;

constexpr std::size_t kHoldersTold = 4;

Finding recovered(const Evidence& evidence, const FailedRequest& request) {
    const model::FailedCall& call = *request.call;
    Finding finding;
    finding.rule = "fit.out-of-memory";
    finding.findingClass = FindingClass::Recovered;
    finding.confidence = Confidence::Proven;
    finding.processes = {call.processId};
    finding.stacks = {{"asked", call.stackId}};
    finding.count = call.repeatCount;
    finding.bytes = call.sizeBytes;
    finding.headline = fmt::format("{}, recovered", model::bytesText(call.sizeBytes));
    finding.sentence = fmt::format("{} refused at {}, then served {} later.",
                                   model::bytesText(call.sizeBytes), model::momentText(call.enterNs),
                                   model::durationText(request.recoveredBy->allocNs - call.exitNs));
    finding.moments = {{call.enterNs,
                        fmt::format("A request for {} is refused.", model::bytesText(call.sizeBytes)),
                        call.stackId}};
    finding.evidence.emplace_back("The allocator made room and went on; only time was lost.");
    finding.fingerprint = fingerprintOf(evidence.capture, finding.rule, call.stackId, "recovered");
    return finding;
}

std::string cardText(const Capture& capture, const FailedRequest& request) {
    const model::MemorySample* sample = sampleBefore(capture, request.deviceId, request.call->exitNs);
    const model::Device* device = capture.devices.find(request.deviceId);
    if (!sample || !device) return "";
    const std::string free =
        model::bytesText(std::max<std::int64_t>(device->totalBytes - sample->usedBytes, 0));
    if (!sample->jobBytes) {
        return fmt::format("The card: used {}, free {} of {}; the driver lists no processes here.",
                           model::bytesText(sample->usedBytes), free, model::bytesText(device->totalBytes));
    }
    const std::int64_t others =
        sample->othersBytes.value_or(std::max<std::int64_t>(sample->usedBytes - *sample->jobBytes, 0));
    return fmt::format("The card: this job {}, other processes {}, free {}.",
                       model::bytesText(*sample->jobBytes), model::bytesText(others), free);
}

std::string holdersText(const Capture& capture, std::int64_t timeNs) {
    std::string text;
    for (const model::Share& share : liveShares(capture, timeNs, model::SplitBy::Library)) {
        if (std::count(text.begin(), text.end(), ',') + 1 >= static_cast<long>(kHoldersTold)) break;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", share.label, model::bytesText(share.bytes));
    }
    return text;
}

/// The cause that an earlier finding or plain arithmetic gives, most telling first; empty when none stands
/// out.
std::string causeOf(const Evidence& evidence, const FailedRequest& request) {
    const model::FailedCall& call = *request.call;
    const model::Device* device = evidence.capture.devices.find(request.deviceId);
    if (device && device->totalBytes > 0 && call.sizeBytes > device->totalBytes) {
        return fmt::format("It asks for more than the whole card has ({}).",
                           model::bytesText(device->totalBytes));
    }
    for (const Finding& finding : evidence.earlier) {
        const bool isOurs = std::find(finding.processes.begin(), finding.processes.end(), call.processId) !=
                            finding.processes.end();
        if (finding.rule == "leak.growth" && isOurs && finding.bytes >= call.sizeBytes / 2) {
            return fmt::format("A leak holds {} of it, see leak.growth.", model::bytesText(finding.bytes));
        }
    }
    const model::MemorySample* sample = sampleBefore(evidence.capture, request.deviceId, call.exitNs);
    if (sample && sample->jobBytes && sample->usedBytes - *sample->jobBytes >= *sample->jobBytes) {
        return "Other processes hold most of the card.";
    }
    return "";
}

Finding failed(const Evidence& evidence, const FailedRequest& request) {
    const model::FailedCall& call = *request.call;
    const Capture& capture = evidence.capture;
    Finding finding;
    finding.rule = "fit.out-of-memory";
    finding.findingClass = FindingClass::Fit;
    finding.confidence = Confidence::Proven;
    finding.processes = {call.processId};
    finding.stacks = {{"asked", call.stackId}};
    finding.count = call.repeatCount;
    finding.bytes = call.sizeBytes;
    const std::string size = model::bytesText(call.sizeBytes);
    finding.headline = fmt::format("{} refused", size);
    finding.moments = {{call.enterNs, fmt::format("A request for {} is refused.", size), call.stackId}};
    finding.sentence = fmt::format("{} of {} refused at {}.", size,
                                   request.isHostMemory ? "pinned host memory" : "device memory",
                                   model::momentText(call.enterNs));
    if (call.repeatCount > 1) {
        finding.evidence.push_back(
            fmt::format("The same request failed {} times.", model::countText(call.repeatCount)));
    }
    if (!request.isHostMemory) {
        if (std::string cause = causeOf(evidence, request); !cause.empty()) finding.evidence.push_back(cause);
        if (std::string card = cardText(capture, request); !card.empty()) finding.evidence.push_back(card);
        const model::LiveTimeline live(capture, request.deviceId, call.processId);
        finding.evidence.push_back(
            fmt::format("This process had {} live.", model::bytesText(live.liveBytesAt(call.enterNs))));
        if (std::string holders = holdersText(capture, call.enterNs); !holders.empty()) {
            finding.evidence.push_back(fmt::format("Live in the job: {}.", holders));
        }
    }
    finding.wouldProveWrong = "It would be no fault if the program expects the failure and does without.";
    finding.fingerprint = fingerprintOf(capture, finding.rule, call.stackId, call.api);
    return finding;
}

/// One fault is one finding: fit.stranded-pages tells of the refused request itself, once the pages it names
/// would have served half of it.
bool isToldAsStranded(const Evidence& evidence, const FailedRequest& request) {
    const model::FailedCall& call = *request.call;
    const bool isTold = std::any_of(evidence.earlier.begin(), evidence.earlier.end(), [&](const Finding& f) {
        return f.rule == "fit.stranded-pages" &&
               std::find(f.processes.begin(), f.processes.end(), call.processId) != f.processes.end();
    });
    if (!isTold || request.isHostMemory) return false;
    const model::SmallPages pages =
        smallPagesAt(evidence.capture, call.processId, request.deviceId, call.enterNs);
    return pages.strandedBytes >= call.sizeBytes / 2;
}

}  // namespace

std::vector<Finding> findOutOfMemory(const Evidence& evidence) {
    std::vector<Finding> findings;
    for (const FailedRequest& request : failedRequests(evidence.capture)) {
        if (!request.recoveredBy && isToldAsStranded(evidence, request)) continue;
        findings.push_back(request.recoveredBy ? recovered(evidence, request) : failed(evidence, request));
    }
    return findings;
}

}  // namespace vramscope::detectors
