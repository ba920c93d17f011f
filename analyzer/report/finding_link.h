// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "analyzer/detectors/finding.h"

namespace vramscope::report {

/// The command that opens the viewer at a finding, ready to be pasted into a shell: a capture whose name a
/// shell would take apart is quoted.
std::string openCommand(const std::filesystem::path& capture, const detectors::Finding& finding);

}  // namespace vramscope::report
