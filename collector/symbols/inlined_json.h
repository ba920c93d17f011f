// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/symbols/symbolizer.h"

namespace vramscope::symbols {

/// The text of the column frames.inlined: an array of {function, file, line}, innermost first; what is not
/// known is left out. nullopt when nothing is inlined.
std::optional<std::string> inlinedJson(const std::vector<SourcePlace>& inlined);

}  // namespace vramscope::symbols
