// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/detectors/finding.h"
#include "analyzer/model/capture.h"

namespace vramscope::report {

/// The lines after a run that the recorder cannot know: peak and what made it up, live at the end, problems.
/// Each is indented by two and ends with a newline.
std::string summaryText(const model::Capture& capture, const std::vector<detectors::Finding>& findings);

}  // namespace vramscope::report
