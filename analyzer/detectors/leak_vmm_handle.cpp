// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/held_class.h"
#include "analyzer/model/breakdown.h"
#include "analyzer/model/units.h"

/// leak.vmm-handle: physical memory that stays on the card although no address leads to it any more. Handles
/// that are still mapped are ordinary memory left at exit and are told as leak.at-exit.
namespace vramscope::detectors {
namespace {

struct HandleGroup {
    model::ProcessId processId;
    model::StackId stackId;
    bool isMapped;
    std::vector<const model::VmmHandle*> handles;
};

std::vector<HandleGroup> groupsOf(const model::Capture& capture) {
    std::map<std::tuple<model::ProcessId, model::StackId, bool>, HandleGroup> groups;
    for (const model::VmmHandle& h : capture.vmmHandles) {
        if (!mayHaveEndedByItself(capture, h.processId) || !model::isHeldAtEnd(capture, h)) continue;
        const bool isMapped = h.mappedCount > 0;
        HandleGroup& group = groups[{h.processId, h.createStackId, isMapped}];
        group.processId = h.processId;
        group.stackId = h.createStackId;
        group.isMapped = isMapped;
        group.handles.push_back(&h);
    }
    std::vector<HandleGroup> list;
    for (auto& [key, group] : groups)
        list.push_back(std::move(group));
    return list;
}

void tellUnmapped(Finding& finding) {
    finding.rule = "leak.vmm-handle";
    finding.sentence = fmt::format("{}, {} of physical memory: resident but unmapped, never released.",
                                   model::countOf(finding.count, "handle"), model::bytesText(finding.bytes));
    finding.evidence.emplace_back(
        "The mapping is gone, so no address reaches these bytes; the reference keeps them.");
    finding.wouldProveWrong = "It would not be a leak if the program still meant to map them again.";
}

void tellMapped(Finding& finding) {
    finding.rule = "leak.at-exit";
    finding.sentence = fmt::format("{}, {} of mapped physical memory still live when the process ended.",
                                   model::countOf(finding.count, "handle"), model::bytesText(finding.bytes));
    finding.wouldProveWrong = "It would not be a leak if the program means to keep it until it ends.";
}

Finding describe(const Evidence& evidence, const HandleGroup& group) {
    Finding finding;
    finding.count = static_cast<std::int64_t>(group.handles.size());
    finding.largestStackCount = finding.count;
    for (const model::VmmHandle* h : group.handles)
        finding.bytes = model::addClamped(finding.bytes, h->sizeBytes);
    finding.processes = {group.processId};
    finding.stacks = {{"created", group.stackId}};
    finding.headline = model::bytesText(finding.bytes);
    if (group.isMapped) {
        tellMapped(finding);
    } else {
        tellUnmapped(finding);
    }
    finding.fingerprint = fingerprintOf(evidence.capture, finding.rule, group.stackId, "handle");
    judgeHeld(evidence, group.processId, group.stackId, finding);
    // One is as lost as many: nothing can reach it. A framework's own handles stay its own business.
    if (!group.isMapped && finding.findingClass == FindingClass::OneTime) {
        finding.findingClass = FindingClass::Leak;
        std::erase(finding.evidence, finding.because);
        finding.because.clear();
    }
    return finding;
}

}  // namespace

std::vector<Finding> findLeakedVmmHandles(const Evidence& evidence) {
    std::vector<Finding> findings;
    for (const HandleGroup& group : groupsOf(evidence.capture))
        findings.push_back(describe(evidence, group));
    return findings;
}

}  // namespace vramscope::detectors
