// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/held_class.h"
#include "analyzer/detectors/held_groups.h"
#include "analyzer/model/units.h"

/// leak.pinned: host memory that a process pinned or registered and never gave back.
namespace vramscope::detectors {

std::vector<Finding> findLeakedPinnedMemory(const Evidence& evidence) {
    const auto told = buffersAlreadyTold(evidence.earlier);
    std::vector<Finding> findings;
    for (const StackGroup& group : groupByStack(evidence.capture, [&](const model::Buffer& b) {
             return isPinnedHostMemory(b.kind) && b.isHeldAtEnd() && !told.contains(b.id.value) &&
                    endedByItself(evidence.capture, b.processId);
         })) {
        Finding finding;
        finding.rule = "leak.pinned";
        describeGroup(evidence.capture, group, finding);
        finding.confidence = confidenceAtExit(evidence, group.processId, group.stackId, finding);
        const HeldClass held =
            classOfHeld(evidence.libraries.of(group.stackId, group.processId), finding.count);
        finding.findingClass = held.findingClass;
        finding.headline = model::bytesText(finding.bytes);
        finding.sentence = fmt::format("{}, {} of {} still held when the process ended.",
                                       model::countOf(finding.count, "buffer"),
                                       model::bytesText(finding.bytes), whatTheyAre(evidence.capture, group));
        finding.evidence.push_back(held.because);
        foldByLibrary(evidence, group.stackId, group.processId, finding);
        finding.evidence.emplace_back("Pinned memory is taken from every other program on the machine.");
        finding.wouldProveWrong = "It would not be a leak if the program means to keep it until it ends.";
        if (finding.confidence == Confidence::Possible) {
            finding.wouldMakeSure =
                "A run with stacks that ends with code 0 and loses no records would make it sure.";
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace vramscope::detectors
