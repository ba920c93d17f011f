// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/free_faults.h"
#include "analyzer/model/units.h"

/// corruption.double-free: a refused free of something that was already gone.
namespace vramscope::detectors {
namespace {

void tellBuffer(const model::Buffer& buffer, Finding& finding) {
    finding.sentence = fmt::format("{} was given back twice.", bufferText(buffer));
    if (buffer.endKind == model::EndKind::ContextDestroyed) {
        finding.sentence = fmt::format("{} was freed after its context was destroyed.", bufferText(buffer));
    }
    if (buffer.kind == model::BufferKind::Ipc && buffer.endKind == model::EndKind::Freed)
        finding.sentence = fmt::format("{} was closed twice.", bufferText(buffer));
    finding.evidence.push_back(fmt::format("It {}.", endText(buffer)));
    const bool endedWithContext = buffer.endKind == model::EndKind::ContextDestroyed;
    if (!endedWithContext || !buffer.freeStackId.isNone())
        finding.stacks.push_back({"first freed", buffer.freeStackId});
    finding.stacks.push_back({"allocated", buffer.allocStackId});
    finding.buffers = {buffer.id};
    finding.bytes = buffer.sizeBytes;
}

void tellObject(const model::Object& object, Finding& finding) {
    finding.sentence = fmt::format("One {} was destroyed twice.", object.kind);
    finding.evidence.push_back(fmt::format("It was destroyed at {}.", model::momentText(object.destroyNs)));
    finding.stacks.push_back({"first destroyed", object.destroyStackId});
    finding.stacks.push_back({"created", object.createStackId});
}

Finding describe(const Evidence& evidence, const JudgedFree& judged) {
    const model::FailedCall& call = *judged.call;
    Finding finding;
    finding.rule = "corruption.double-free";
    finding.findingClass = FindingClass::Corruption;
    finding.confidence = evidence.fromAllocations();
    finding.processes = {call.processId};
    finding.count = call.repeatCount;
    finding.headline = model::countOf(call.repeatCount, "double free");
    finding.stacks = {{"freed again", call.stackId}};
    if (judged.buffer)
        tellBuffer(*judged.buffer, finding);
    else if (judged.object)
        tellObject(*judged.object, finding);
    finding.evidence.push_back(fmt::format("{} at {}.", refusalText(call), model::momentText(call.enterNs)));
    finding.wouldProveWrong = "It would be no fault if the second call were meant for another block.";
    if (finding.confidence == Confidence::Possible) {
        finding.wouldMakeSure = "A run without lost records would make it sure.";
    }
    // One function may free a block twice and another one after its context was destroyed: two faults.
    const bool endedWithContext = judged.buffer && judged.buffer->endKind == model::EndKind::ContextDestroyed;
    finding.fingerprint = fingerprintOf(
        evidence.capture, finding.rule, call.stackId,
        endedWithContext ? fmt::format("{} after its context", call.api) : std::string(call.api));
    return finding;
}

}  // namespace

std::vector<Finding> findDoubleFrees(const Evidence& evidence) {
    std::vector<Finding> findings;
    for (const JudgedFree& judged : judgeFailedFrees(evidence.capture)) {
        if (judged.fault == FreeFault::DoubleFree) findings.push_back(describe(evidence, judged));
    }
    return findings;
}

}  // namespace vramscope::detectors
