// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/held_class.h"
#include "analyzer/detectors/held_groups.h"
#include "analyzer/model/units.h"

/// leak.pinned: host memory that a process pinned or registered and never gave back.
namespace vramscope::detectors {

std::vector<Finding> findLeakedPinnedMemory(const Evidence& evidence) {
    std::vector<Finding> findings;
    for (const StackGroup& group : groupsLeftAtExit(
             evidence, [](const model::Buffer& b) { return model::isPinnedHostMemory(b.kind); })) {
        Finding& finding = findings.emplace_back();
        finding.rule = "leak.pinned";
        describeGroup(evidence.capture, group, finding);
        finding.headline = model::bytesText(finding.bytes);
        finding.sentence = fmt::format("{}, {} of {} still held when the process ended.",
                                       model::countOf(finding.count, "buffer"),
                                       model::bytesText(finding.bytes), whatTheyAre(evidence.capture, group));
        judgeHeld(evidence, group.processId, group.stackId, finding);
        finding.evidence.emplace_back("Pinned memory is taken from every other program on the machine.");
        finding.wouldProveWrong = "It would not be a leak if the program means to keep it until it ends.";
    }
    return findings;
}

}  // namespace vramscope::detectors
