// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unordered_set>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/free_faults.h"
#include "analyzer/detectors/graph_memory.h"
#include "analyzer/detectors/held_class.h"
#include "analyzer/detectors/held_groups.h"
#include "analyzer/model/units.h"

/// leak.at-exit: device memory that a process never gave back, by the stack that asked for it.
namespace vramscope::detectors {
namespace {

using model::Buffer;

bool isJudgedHere(const Buffer& b) {
    // Mappings are judged by their handles, pinned memory by leak.pinned, imports by leak.ipc-mapping.
    return b.kind == model::BufferKind::Device || b.kind == model::BufferKind::Async ||
           b.kind == model::BufferKind::Managed || b.kind == model::BufferKind::Array ||
           b.kind == model::BufferKind::Graph;
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
    finding.headline = model::bytesText(finding.bytes);
    if (isTeardown) {
        finding.findingClass = FindingClass::TeardownOrder;
        finding.sentence = fmt::format("{}: freed only after the context was gone.", total);
        finding.because = "The program does free it, in a destructor that runs too late; nothing is lost.";
        finding.evidence.push_back(finding.because);
        setConfidenceAtExit(evidence, group.processId, group.stackId, finding);
    } else {
        finding.sentence = fmt::format("{} still live when the process ended.", total);
        judgeHeld(evidence, group.processId, group.stackId, finding);
    }
    finding.evidence.insert(finding.evidence.begin(),
                            fmt::format("{} {}.", finding.count == 1 ? "It is" : "They are",
                                        whatTheyAre(evidence.capture, group)));
    tellGraphs(evidence.capture, group, finding);
    finding.wouldProveWrong = "It would not be a leak if the program means to keep it until it ends.";
    return finding;
}

}  // namespace

std::vector<Finding> findLeaksAtExit(const Evidence& evidence) {
    const auto tooLate = freedTooLate(evidence.capture);
    std::vector<Finding> findings;
    for (const StackGroup& group : groupsLeftAtExit(
             evidence, [&](const Buffer& b) { return isJudgedHere(b) && !tooLate.contains(b.id.value); })) {
        findings.push_back(describe(evidence, group, false));
    }
    const auto told = buffersAlreadyTold(evidence.earlier);
    for (const StackGroup& group : groupByStack(evidence.capture, [&](const Buffer& b) {
             return tooLate.contains(b.id.value) && isJudgedHere(b) && !told.contains(b.id.value) &&
                    mayHaveEndedByItself(evidence.capture, b.processId);
         })) {
        findings.push_back(describe(evidence, group, true));
    }
    return findings;
}

}  // namespace vramscope::detectors
