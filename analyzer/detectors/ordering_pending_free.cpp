// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/ordering_findings.h"

/// ordering.pending-free: memory is freed while work on it may still be to come.
namespace vramscope::detectors {
namespace {

std::string sentenceOf(const model::Capture& capture, const model::OrderingConflict& conflict) {
    return fmt::format("{} is freed by {} while {} may not be done.",
                       conflictBuffer(capture, conflict.bufferId), callText(conflict.later),
                       callText(conflict.earlier));
}

}  // namespace

std::vector<Finding> findPendingFrees(const Evidence& evidence) {
    return findConflicts(evidence, "ordering.pending-free", {model::ConflictKind::PendingFree}, sentenceOf);
}

}  // namespace vramscope::detectors
