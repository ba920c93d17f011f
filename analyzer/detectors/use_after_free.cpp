// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/ordering_findings.h"

/// corruption.use-after-free: a call names memory that was given back before it.
namespace vramscope::detectors {
namespace {

std::string sentenceOf(const model::Capture& capture, const model::OrderingConflict& conflict) {
    return fmt::format("{} {} {}, which {} had freed.", callText(conflict.later),
                       conflict.restsOnArgument ? "was given a pointer to"
                       : conflict.wasRefused    ? "was refused: it names"
                                                : "uses",
                       conflictBuffer(capture, conflict.bufferId), callText(conflict.earlier));
}

}  // namespace

std::vector<Finding> findUsesAfterFree(const Evidence& evidence) {
    return findConflicts(evidence, "corruption.use-after-free", {model::ConflictKind::AfterFree}, sentenceOf);
}

}  // namespace vramscope::detectors
