// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/detectors/held_groups.h"

namespace vramscope::detectors {

/// Adds what is to be known about memory that launches of graphs allocated, where `group` has any: that the
/// executable graphs are gone and the memory is not.
void tellGraphs(const model::Capture& capture, const StackGroup& group, Finding& finding);

}  // namespace vramscope::detectors
