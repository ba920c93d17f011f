// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "analyzer/model/ids.h"

namespace vramscope::detectors {

/// One task's use of what another one owns, in the words in which a policy allows it. Views are valid during
/// the call that it is given to.
struct Sharing {
    std::string_view rule;        ///< the rule that would tell of it
    std::string_view owner;       ///< task
    std::string_view user;        ///< task
    std::string_view call;        ///< driver call or kernel, as the capture has it; empty for an alias
    model::StackId ownerStackId;  ///< where the owner got it
    model::StackId userStackId;   ///< where the user called; none where that was not recorded
    std::int64_t count = 1;       ///< calls
};

/// True for sharing that is meant. Asked once for each use that would become a finding, or a part of one.
using SharingFilter = std::function<bool(const Sharing&)>;

}  // namespace vramscope::detectors
