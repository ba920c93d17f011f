// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/ordering_findings.h"

/// ordering.copy-source: the source of a copy is written or freed before the copy is done.
namespace vramscope::detectors {
namespace {

std::string sentenceOf(const model::Capture& capture, const model::OrderingConflict& conflict) {
    return fmt::format("{} reads {}, and {} does not wait for it.", callText(conflict.earlier),
                       conflictBuffer(capture, conflict.bufferId), callText(conflict.later));
}

}  // namespace

std::vector<Finding> findCopySourceConflicts(const Evidence& evidence) {
    return findConflicts(evidence, "ordering.copy-source", {model::ConflictKind::CopySource}, sentenceOf);
}

}  // namespace vramscope::detectors
