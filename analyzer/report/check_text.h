// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/model/capture.h"
#include "analyzer/report/gate.h"
#include "analyzer/report/style.h"

namespace vramscope::report {

/// The verdict on one capture, a line a finding, failing ones first. Notes are counted, not listed, unless
/// `showsNotes`. With `hasViewer` the command that shows a finding there stands below its line. Ends with a
/// newline.
std::string checkText(const model::Capture& capture, const GateResult& result, const Style& style,
                      bool showsNotes, bool hasViewer = false);

}  // namespace vramscope::report
