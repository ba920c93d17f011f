// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vramscope::cli {

/// The word that `typed` was most likely meant to be: fewest letters changed, added, left out or swapped, at
/// most a third of its length. Empty when none is near.
std::string nearestWord(std::string_view typed, const std::vector<std::string>& words);

}  // namespace vramscope::cli
