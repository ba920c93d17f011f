// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/ordering_findings.h"

#include <algorithm>
#include <fmt/format.h>

#include "analyzer/detectors/free_faults.h"
#include "analyzer/detectors/kernel_text.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"

namespace vramscope::detectors {
namespace {

using model::Capture;
using model::ConflictKind;
using model::OrderedAction;
using model::OrderedSide;
using model::OrderingConflict;

std::string_view verbOf(const OrderedSide& side) {
    switch (side.action) {
        case OrderedAction::Alloc:
            return "allocates it";
        case OrderedAction::Free:
            return "frees it";
        case OrderedAction::Read:
            return "reads it";
        case OrderedAction::Write:
            return "writes it";
        case OrderedAction::Launch:
            break;
    }
    return "was given a pointer to it";
}

std::string_view labelOf(const OrderedSide& side) {
    switch (side.action) {
        case OrderedAction::Alloc:
            return "allocated";
        case OrderedAction::Free:
            return "freed";
        case OrderedAction::Read:
            return "read";
        case OrderedAction::Write:
            return "written";
        case OrderedAction::Launch:
            break;
    }
    return "launched";
}

std::string sideText(const OrderedSide& side) {
    return fmt::format("{} {}, called at {}", callText(side), verbOf(side), model::momentText(side.enterNs));
}

std::string missingEdge(const OrderingConflict& conflict) {
    if (conflict.kind == ConflictKind::AfterFree) return "The use comes after the free in every order.";
    if (conflict.later.streamId.isNone()) {
        return fmt::format("Nothing that the host waited for before tells it that {} had come this far.",
                           conflict.earlier.streamName);
    }
    return fmt::format(
        "No event, wait or synchronisation leads from the first call on {} to the second on {}{}.",
        conflict.earlier.streamName.empty() ? "the host" : conflict.earlier.streamName,
        conflict.later.streamName, conflict.isAcrossProcesses() ? " of the other process" : "");
}

std::string howToBeSure(const Capture& capture, const OrderingConflict& conflict) {
    if (!capture.ordering.waitsAreWhole)
        return "This capture's format does not show all waits; a recording by this version would make it "
               "sure.";
    if (conflict.mayBeToldUnseen)
        return "Work behind the first call, or bytes that were copied to the host, may have told the other "
               "process that it is done; an event that both open would show the order.";
    if (conflict.restsOnArgument)
        return "Whether the kernel uses the pointer it was given was not recorded; vramscope run --engine "
               "exact sees it.";
    if (conflict.isContended)
        return "Threads were in calls on one of the streams at the same time; a run where they are not would "
               "make "
               "it sure.";
    return "";
}

/// In the words that stay the same from run to run: calls and functions, no streams and no addresses.
std::string fingerprintDetail(const Capture& capture, const OrderingConflict& conflict) {
    return fmt::format("{}\n{}\n{}", conflict.earlier.call, conflict.later.call,
                       model::stableName(capture, conflict.later.stackId));
}

void tellBuffers(const Capture& capture, const OrderingConflict& conflict, Finding& finding) {
    finding.buffers = conflict.buffers;
    const model::Buffer* buffer = capture.buffers.find(conflict.bufferId);
    finding.bytes = conflict.sizeBytes != 0 || buffer == nullptr ? conflict.sizeBytes : buffer->sizeBytes;
    if (buffer == nullptr) return;
    if (conflict.earlier.action != OrderedAction::Alloc)
        finding.stacks.push_back({"allocated", buffer->allocStackId});
    if (conflict.reusedBy.isNone()) return;
    finding.evidence.push_back(
        fmt::format("The address came back as {}.", conflictBuffer(capture, conflict.reusedBy)));
    if (const model::Buffer* next = capture.buffers.find(conflict.reusedBy))
        finding.stacks.push_back({"reused by", next->allocStackId});
}

Finding describe(const Capture& capture, std::string_view rule, const OrderingConflict& conflict,
                 std::string sentence) {
    Finding finding;
    finding.rule = rule;
    finding.findingClass = FindingClass::Corruption;
    const bool isSure = conflict.isCertain() && capture.ordering.waitsAreWhole;
    finding.confidence = isSure ? Confidence::Proven : Confidence::Possible;
    finding.processes = {conflict.processId};
    if (conflict.isAcrossProcesses()) {
        const bool isEarliers = conflict.processId == conflict.earlier.processId;
        finding.processes.push_back(isEarliers ? conflict.later.processId : conflict.earlier.processId);
        finding.evidence.push_back(
            "Two processes reach it: one allocated it, the other has an import of it.");
    }
    finding.count = conflict.count;
    finding.headline = model::countOf(conflict.count, "time");
    finding.sentence = std::move(sentence);
    finding.evidence.push_back(sideText(conflict.earlier) + ".");
    finding.evidence.push_back(sideText(conflict.later) + ".");
    for (const OrderedSide* side : {&conflict.earlier, &conflict.later}) {
        finding.moments.push_back(
            {side->enterNs, fmt::format("{} {}.", callText(*side), verbOf(*side)), side->stackId});
    }
    finding.moments.back().sentence += " " + missingEdge(conflict);
    if (conflict.sizeBytes > 0 && conflict.kind != ConflictKind::BeforeAlloc) {
        finding.evidence.push_back(fmt::format("Both touch {} from offset {:#x}.",
                                               model::bytesText(conflict.sizeBytes),
                                               static_cast<std::uint64_t>(conflict.offset)));
    }
    if (conflict.isSeenOfKernel)
        finding.evidence.push_back("The kernel was seen to touch this memory, which was nobody's by then.");
    finding.evidence.push_back(missingEdge(conflict));
    if (conflict.count > 1) {
        finding.evidence.push_back(
            fmt::format("The same happened {} in all, in {}.", model::countOf(conflict.count, "time"),
                        conflict.buffers.size() >= model::kMostConflictBuffers
                            ? "many buffers"
                            : model::countOf(static_cast<std::int64_t>(conflict.buffers.size()), "buffer")));
    }
    finding.stacks = {{std::string(labelOf(conflict.later)), conflict.later.stackId},
                      {std::string(labelOf(conflict.earlier)), conflict.earlier.stackId}};
    tellBuffers(capture, conflict, finding);
    finding.wouldProveWrong =
        conflict.kind == ConflictKind::AfterFree
            ? "It would be no fault if the pointer were not used."
            : "It would be no fault if something orders them that no CUDA call shows, such as a kernel that "
              "waits for memory to change.";
    finding.wouldMakeSure = howToBeSure(capture, conflict);
    finding.fingerprint =
        fingerprintOf(capture, rule, conflict.earlier.stackId, fingerprintDetail(capture, conflict));
    return finding;
}

}  // namespace

std::string callText(const OrderedSide& side) {
    const std::string call = side.action == OrderedAction::Launch ? kernelPhrase(side.call)
                             : side.call.empty()                  ? "a call"
                                                                  : std::string(side.call);
    const std::string where =
        side.processName.empty() ? "" : fmt::format(" in {}", std::string(side.processName));
    return side.streamName.empty() ? call + where : fmt::format("{} on {}{}", call, side.streamName, where);
}

std::string conflictBuffer(const Capture& capture, model::BufferId id) {
    const model::Buffer* buffer = capture.buffers.find(id);
    return buffer != nullptr ? bufferText(*buffer) : "a buffer";
}

std::vector<Finding> findConflicts(const Evidence& evidence, std::string_view rule,
                                   std::initializer_list<ConflictKind> kinds,
                                   std::string (*sentence)(const Capture&, const OrderingConflict&)) {
    std::vector<Finding> findings;
    for (const OrderingConflict& conflict : evidence.capture.ordering.conflicts) {
        if (std::find(kinds.begin(), kinds.end(), conflict.kind) == kinds.end()) continue;
        findings.push_back(describe(evidence.capture, rule, conflict, sentence(evidence.capture, conflict)));
    }
    return findings;
}

}  // namespace vramscope::detectors
