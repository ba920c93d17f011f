// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "collector/recorder/recorder.h"

namespace vramscope::collector {

/// Prints what was recorded, what stands out and what to do next, to standard error. The middle lines come
/// from the analyzer (`vramscope summary`), when it is installed beside us.
void printClosingSummary(const RecorderSummary& summary, const std::filesystem::path& capture);

}  // namespace vramscope::collector
