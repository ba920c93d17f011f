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
        false;                 ///< no allocation or free can be missing: what leak and free rules rest on
    bool workIsWhole = false;  ///< no launch, copy, set or synchronisation is missing
    std::vector<std::string> gaps;  ///< what is missing, a sentence each

    /// "complete, none lost" and the like, for a header line.
    std::string oneLine() const;
};

Completeness completenessOf(const Capture& capture);

}  // namespace vramscope::model
