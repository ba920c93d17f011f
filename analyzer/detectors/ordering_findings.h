// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/detectors/detector.h"

namespace vramscope::detectors {

/// A finding of `rule` for each conflict of these kinds, with both calls, their stacks and the missing edge.
/// The rules differ in `sentence`, which says what is wrong with the conflict.
std::vector<Finding> findConflicts(const Evidence& evidence, std::string_view rule,
                                   std::initializer_list<model::ConflictKind> kinds,
                                   std::string (*sentence)(const model::Capture&,
                                                           const model::OrderingConflict&));

/// "cuMemcpyDtoHAsync_v2 on stream 3", "kernel scale on stream 4", "cuMemFree_v2".
std::string callText(const model::OrderedSide& side);

/// "b7f2c40000000.3 (16.0 MiB of device memory)"; "a buffer" when the capture lacks it.
std::string conflictBuffer(const model::Capture& capture, model::BufferId id);

}  // namespace vramscope::detectors
