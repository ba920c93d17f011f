// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/ordering_findings.h"

/// ordering.pool-order: stream-ordered memory is used outside its life, which its streams define.
namespace vramscope::detectors {
namespace {

std::string sentenceOf(const model::Capture& capture, const model::OrderingConflict& conflict) {
    if (conflict.kind == model::ConflictKind::UnorderedFree) {
        return fmt::format("{} uses {} after {} freed it.", callText(conflict.later),
                           conflictBuffer(capture, conflict.bufferId), callText(conflict.earlier));
    }
    return fmt::format("{} does not wait for {}, which makes {}.", callText(conflict.later),
                       callText(conflict.earlier), conflictBuffer(capture, conflict.bufferId));
}

}  // namespace

std::vector<Finding> findPoolOrderConflicts(const Evidence& evidence) {
    return findConflicts(evidence, "ordering.pool-order",
                         {model::ConflictKind::BeforeAlloc, model::ConflictKind::UnorderedFree}, sentenceOf);
}

}  // namespace vramscope::detectors
