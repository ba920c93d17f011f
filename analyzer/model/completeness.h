// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// How far a capture can be relied on.
struct Completeness {
    bool isFinished = false;  ///< the recorder closed it, or `vramscope recover` did
    bool isRecovered = false;
    std::int64_t lostCount = 0;  ///< records lost, all reasons
    bool allocationsAreWhole =
        false;                   ///< no allocation or free can be missing: what leak and free rules rest on
    bool workIsWhole = false;    ///< no launch, copy, set or synchronisation is missing
    bool stacksAreWhole = true;  ///< every record has the stack that was taken for it
    std::vector<std::string> gaps;  ///< what is missing, a sentence each
    /// The same as parts of a sentence: "recording stopped at 12.3 s: disk full".
    std::vector<std::string> shortGaps;

    /// Nothing at all is missing, so that "no problems found" may be said without more.
    bool isWhole() const { return gaps.empty(); }
    /// "complete, none lost" and the like, for a header line.
    std::string oneLine() const;
    /// What a verdict must add: " in what was recorded; recording stopped at 12.3 s: disk full". Empty when
    /// the capture is whole.
    std::string caveat() const;
};

Completeness completenessOf(const Capture& capture);

}  // namespace vramscope::model
