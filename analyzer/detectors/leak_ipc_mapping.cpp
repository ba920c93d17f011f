// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/held_class.h"
#include "analyzer/detectors/held_groups.h"
#include "analyzer/model/units.h"

/// leak.ipc-mapping: mappings of another process's memory that were opened and never closed. Their bytes are
/// the exporter's; what the importer keeps is the exporter's memory alive.
namespace vramscope::detectors {

std::vector<Finding> findLeakedIpcMappings(const Evidence& evidence) {
    std::vector<Finding> findings;
    for (const StackGroup& group : groupsLeftAtExit(
             evidence, [](const model::Buffer& b) { return b.kind == model::BufferKind::Ipc; })) {
        Finding& finding = findings.emplace_back();
        finding.rule = "leak.ipc-mapping";
        describeGroup(evidence.capture, group, finding);
        finding.headline = model::countOf(finding.count, "mapping");
        finding.sentence = fmt::format("{} of another process's memory, {}, opened and never closed.",
                                       finding.headline, model::bytesText(finding.bytes));
        judgeHeld(evidence, group.processId, group.stackId, finding);
        finding.evidence.emplace_back(
            "While a mapping is open, the exporter's memory cannot be used for anything else.");
        finding.wouldProveWrong = "It would not be a leak if the program means to keep them until it ends.";
    }
    return findings;
}

}  // namespace vramscope::detectors
