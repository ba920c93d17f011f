// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unordered_set>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/free_faults.h"
#include "analyzer/detectors/held_class.h"
#include "analyzer/detectors/held_groups.h"
#include "analyzer/model/units.h"

/// leak.at-exit: device memory that a process never gave back, by the stack that asked for it.
namespace vramscope::detectors {
namespace {

using model::Buffer;

bool isJudgedHere(const Buffer& b) {
    // Mappings are judged by their handles, pinned memory by leak.pinned; imports and graphs have rules of
    // their own.
    return b.kind == model::BufferKind::Device || b.kind == model::BufferKind::Async ||
           b.kind == model::BufferKind::Managed || b.kind == model::BufferKind::Array;
}

/// Buffers whose free came too late, when the context was already gone.
std::unordered_set<std::int64_t> freedTooLate(const model::Capture& capture) {
    std::unordered_set<std::int64_t> ids;
    for (const JudgedFree& judged : judgeFailedFrees(capture)) {
        if (judged.fault == FreeFault::Teardown && judged.buffer) ids.insert(judged.buffer->id.value);
    }
    return ids;
}

Finding describe(const Evidence& evidence, const StackGroup& group, bool isTeardown) {
    Finding finding;
    finding.rule = "leak.at-exit";
    describeGroup(evidence.capture, group, finding);
    const std::string total =
        fmt::format("{}, {}", model::countOf(finding.count, "buffer"), model::bytesText(finding.bytes));
    finding.confidence = confidenceAtExit(evidence, group.processId, group.stackId, finding);
    finding.headline = model::bytesText(finding.bytes);
    if (isTeardown) {
        finding.findingClass = FindingClass::TeardownOrder;
        finding.sentence = fmt::format("{}: freed only after the context was gone.", total);
        finding.evidence.emplace_back(
            "The program does free it, in a destructor that runs too late; nothing is lost.");
    } else {
        const HeldClass held =
            classOfHeld(evidence.libraries.of(group.stackId, group.processId), finding.count);
        finding.findingClass = held.findingClass;
        finding.sentence = fmt::format("{} still live when the process ended.", total);
        finding.evidence.push_back(held.because);
        foldByLibrary(evidence, group.stackId, group.processId, finding);
    }
    finding.evidence.insert(finding.evidence.begin(),
                            fmt::format("{} {}.", finding.count == 1 ? "It is" : "They are",
                                        whatTheyAre(evidence.capture, group)));
    finding.wouldProveWrong = "It would not be a leak if the program means to keep it until it ends.";
    if (finding.confidence == Confidence::Possible) {
        finding.wouldMakeSure =
            "A run with stacks that ends with code 0 and loses no records would make it sure.";
    }
    return finding;
}

}  // namespace

std::vector<Finding> findLeaksAtExit(const Evidence& evidence) {
    const auto told = buffersAlreadyTold(evidence.earlier);
    const auto tooLate = freedTooLate(evidence.capture);
    const auto isLeft = [&](const Buffer& b) {
        return isJudgedHere(b) && !told.contains(b.id.value) && endedByItself(evidence.capture, b.processId);
    };
    std::vector<Finding> findings;
    for (const StackGroup& group : groupByStack(evidence.capture, [&](const Buffer& b) {
             return b.isHeldAtEnd() && !tooLate.contains(b.id.value) && isLeft(b);
         })) {
        findings.push_back(describe(evidence, group, false));
    }
    for (const StackGroup& group : groupByStack(
             evidence.capture, [&](const Buffer& b) { return tooLate.contains(b.id.value) && isLeft(b); })) {
        findings.push_back(describe(evidence, group, true));
    }
    return findings;
}

}  // namespace vramscope::detectors
