// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/free_faults.h"
#include "analyzer/detectors/kernel_text.h"
#include "analyzer/model/ownership.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"

/// corruption.overflow: a kernel was seen to write behind a buffer's end.
namespace vramscope::detectors {
namespace {

using model::Buffer;
using model::Overrun;

/// corruption.overwrite has told of what the neighbour's owner lost.
bool isToldAlready(const Evidence& evidence, const Overrun& overrun) {
    if (overrun.neighbourId.isNone()) return false;
    return std::any_of(evidence.earlier.begin(), evidence.earlier.end(), [&](const Finding& finding) {
        const bool counts = finding.confidence == Confidence::Proven || !overrun.touchesNobodys;
        return counts && finding.rule == "corruption.overwrite" &&
               std::find(finding.buffers.begin(), finding.buffers.end(), overrun.neighbourId) !=
                   finding.buffers.end();
    });
}

/// Whether the neighbour's first byte is the writer's own or nobody's in particular. What is another's is
/// corruption.overwrite's to judge, which knows what was given and lent.
bool isOwnNeighbour(const Evidence& evidence, const Overrun& overrun, const model::TaskTimeline& tasks) {
    const Buffer* neighbour = evidence.capture.buffers.find(overrun.neighbourId);
    if (neighbour == nullptr) return false;
    model::Ownership ownership(evidence.capture, tasks);
    ownership.advanceTo(overrun.enterNs);
    const auto owners = ownership.ownersOf(*neighbour, 0, 1);
    const model::TaskId owner = owners.empty() ? model::TaskId{} : owners.front().taskId;
    const model::TaskId writer =
        tasks.at(overrun.processId, overrun.threadId, overrun.streamId, {}, overrun.enterNs).id;
    return owner.isNone() || owner == writer || owner == tasks.ownTaskOf(overrun.processId);
}

/// An address can reach a kernel as an argument, or in memory that it reads; __constant__ variables, which it
/// reads unseen, are among the module's variables that the program asked for.
bool cannotKnowNeighbour(const Evidence& evidence, const Overrun& overrun) {
    return !overrun.readsMemory && std::none_of(evidence.capture.buffers.begin(),
                                                evidence.capture.buffers.end(), [&](const Buffer& buffer) {
                                                    return buffer.kind == model::BufferKind::Module &&
                                                           buffer.processId == overrun.processId;
                                                });
}

bool isProven(const Evidence& evidence, const Overrun& overrun) {
    return evidence.completeness.allocationsAreWhole && evidence.completeness.workIsWhole &&
           (overrun.touchesNobodys || cannotKnowNeighbour(evidence, overrun));
}

void tellEvidence(const Evidence& evidence, const Overrun& overrun, Finding& finding) {
    finding.evidence.push_back(fmt::format(
        "It was launched at {}{}.", model::momentText(overrun.enterNs),
        overrun.count > 1 ? fmt::format(", the first of {}", model::countText(overrun.count)) : ""));
    if (const std::string place = placeText(overrun.place); !place.empty())
        finding.evidence.push_back(fmt::format("It wrote there at {}.", place));
    finding.evidence.emplace_back(
        "The kernel's accesses were seen: it wrote the first and the last of these bytes.");
    if (overrun.wasGiven) finding.evidence.emplace_back("A pointer into the buffer was among its arguments.");
    const Buffer* neighbour = evidence.capture.buffers.find(overrun.neighbourId);
    if (neighbour != nullptr)
        finding.evidence.push_back(
            fmt::format("They reach into {}, which begins {}.{}", bufferText(*neighbour),
                        overrun.touchesNobodys ? "behind it" : "where it ends",
                        overrun.touchesNobodys ? "" : " No pointer to that one was among its arguments."));
}

Finding describe(const Evidence& evidence, const Overrun& overrun, const Buffer& buffer) {
    Finding finding;
    finding.rule = "corruption.overflow";
    finding.findingClass = FindingClass::Corruption;
    finding.confidence = isProven(evidence, overrun) ? Confidence::Proven : Confidence::Possible;
    finding.processes = {overrun.processId};
    finding.buffers = {buffer.id};
    finding.bytes = overrun.bytes;
    finding.count = overrun.count;
    const std::string bytes = model::countOf(overrun.bytes, "byte");
    finding.headline = fmt::format("{} past the end", bytes);
    std::string kernel = kernelText(overrun.kernel);
    finding.sentence = fmt::format(
        "Kernel {} {} {} behind {}, the first {}.", kernel,
        finding.confidence == Confidence::Proven ? "wrote" : "may have meant another buffer, or wrote", bytes,
        bufferText(buffer),
        overrun.firstOffset == 0
            ? "right at its end"
            : fmt::format("{} past its end", model::countOf(overrun.firstOffset, "byte")));
    tellEvidence(evidence, overrun, finding);
    finding.stacks = {{"allocated", buffer.allocStackId}};
    if (!overrun.stackId.isNone())
        finding.stacks.insert(finding.stacks.begin(), {"launched", overrun.stackId});
    finding.wouldProveWrong =
        overrun.touchesNobodys ? "It would be no fault if the bytes behind the buffer were the job's, too."
        : finding.confidence == Confidence::Proven
            ? "It would be no fault if two allocations side by side are meant to be one."
            : "It would be no fault if the kernel found the neighbour's address in memory.";
    if (finding.confidence == Confidence::Possible)
        finding.wouldMakeSure = "--guard puts bytes between the two: if they change, it is proven.";
    if (overrun.stackId.isNone()) {
        finding.wouldMakeSure += finding.wouldMakeSure.empty() ? "" : " ";
        finding.wouldMakeSure += "--launch-stacks would show where it was called.";
    }
    finding.fingerprint = fingerprintOf(evidence.capture, finding.rule, buffer.allocStackId, kernel);
    return finding;
}

}  // namespace

std::vector<Finding> findSeenOverflows(const Evidence& evidence) {
    std::vector<Finding> findings;
    if (evidence.capture.overruns.empty()) return findings;
    const model::TaskTimeline tasks(evidence.capture);
    for (const Overrun& overrun : evidence.capture.overruns) {
        const Buffer* buffer = evidence.capture.buffers.find(overrun.bufferId);
        if (buffer == nullptr || isToldAlready(evidence, overrun)) continue;
        if (!overrun.touchesNobodys && !isOwnNeighbour(evidence, overrun, tasks)) continue;
        findings.push_back(describe(evidence, overrun, *buffer));
    }
    return findings;
}

}  // namespace vramscope::detectors
