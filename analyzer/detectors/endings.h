// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/detectors/finding.h"

namespace vramscope::detectors {

/// Corruption shows itself late: tells of each such finding how far it was from the error that one of its
/// processes ended with, in time and, where all of them are known, in launches.
void tellEndings(const model::Capture& capture, std::vector<Finding>& findings);

}  // namespace vramscope::detectors
