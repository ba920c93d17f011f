// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/free_faults.h"
#include "analyzer/model/units.h"

/// corruption.refused-free: a free or destroy that returned an error, and what stays because of it.
namespace vramscope::detectors {
namespace {

void tellWhatStays(const JudgedFree& judged, Finding& finding) {
    const model::FailedCall& call = *judged.call;
    if (judged.buffer) {
        const model::Buffer& buffer = *judged.buffer;
        const auto offset =
            static_cast<std::uint64_t>(call.address) - static_cast<std::uint64_t>(buffer.address);
        finding.sentence = offset == 0 ? fmt::format("{} could not be freed and stays.", bufferText(buffer))
                                       : fmt::format("A free was given an address {:#x} bytes inside {}.",
                                                     offset, bufferText(buffer));
        finding.headline = model::bytesText(buffer.sizeBytes);
        finding.bytes = buffer.sizeBytes;
        finding.buffers = {buffer.id};
        finding.stacks.push_back({"allocated", buffer.allocStackId});
        return;
    }
    finding.headline = model::countOf(call.repeatCount, "refused call");
    if (judged.object) {
        finding.sentence = fmt::format("One {} could not be destroyed and stays.", judged.object->kind);
        finding.stacks.push_back({"created", judged.object->createStackId});
        return;
    }
    finding.sentence = fmt::format("{} was given {:#x}, which is nothing that the job had.", call.api,
                                   static_cast<std::uint64_t>(call.address));
}

Finding describe(const Evidence& evidence, const JudgedFree& judged) {
    const model::FailedCall& call = *judged.call;
    Finding finding;
    finding.rule = "corruption.refused-free";
    finding.findingClass = FindingClass::Corruption;
    // The refusal itself is a fact; that the address is nothing rests on a record without gaps.
    const bool isKnown = judged.buffer || judged.object;
    finding.confidence = isKnown ? evidence.fromAllocations() : Confidence::Possible;
    finding.processes = {call.processId};
    finding.count = call.repeatCount;
    finding.stacks = {{"freed", call.stackId}};
    tellWhatStays(judged, finding);
    finding.evidence.push_back(fmt::format("{} at {}.", refusalText(call), model::momentText(call.enterNs)));
    finding.wouldProveWrong = "It would be no fault if the program reads the error and tries again later.";
    if (finding.confidence == Confidence::Possible) {
        finding.wouldMakeSure = isKnown ? "A run without lost records would make it sure."
                                        : "A debugger at this call shows what the pointer was.";
    }
    finding.fingerprint = fingerprintOf(evidence.capture, finding.rule, call.stackId, call.api);
    return finding;
}

}  // namespace

std::vector<Finding> findRefusedFrees(const Evidence& evidence) {
    std::vector<Finding> findings;
    for (const JudgedFree& judged : judgeFailedFrees(evidence.capture)) {
        if (judged.fault == FreeFault::Refused) findings.push_back(describe(evidence, judged));
    }
    return findings;
}

}  // namespace vramscope::detectors
