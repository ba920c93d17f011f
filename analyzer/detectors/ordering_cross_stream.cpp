// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/ordering_findings.h"

/// ordering.cross-stream: two calls touch the same bytes, one of them writes, and nothing orders them.
namespace vramscope::detectors {
namespace {

std::string sentenceOf(const model::Capture& capture, const model::OrderingConflict& conflict) {
    return fmt::format("Nothing orders {} after {}, and both touch {}.", callText(conflict.later),
                       callText(conflict.earlier), conflictBuffer(capture, conflict.bufferId));
}

}  // namespace

std::vector<Finding> findCrossStreamConflicts(const Evidence& evidence) {
    return findConflicts(evidence, "ordering.cross-stream", {model::ConflictKind::Access}, sentenceOf);
}

}  // namespace vramscope::detectors
