// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::report {

/// Rules that a capture holds too little for.
struct Unjudged {
    std::vector<std::string_view> rules;
    std::string sentence;   ///< which they are, what is not there and how to have it
    bool isChoice = false;  ///< left out because the user recorded less, not because it was lost
};

/// What of the rules that need more than allocations and frees could not be judged at all; empty for a
/// capture of nothing.
std::vector<Unjudged> rulesNotJudged(const model::Capture& capture);

}  // namespace vramscope::report
