// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::detectors {

/// The steps that the program marked, as a clock: 1 in the first step, 2 in the second.
class StepClock {
public:
    StepClock(const model::Capture& capture, model::ProcessId process);

    /// How many steps had begun at or before the moment.
    std::int64_t at(std::int64_t timeNs) const;
    std::int64_t count() const { return static_cast<std::int64_t>(m_startsNs.size()); }

private:
    std::vector<std::int64_t> m_startsNs;
};

}  // namespace vramscope::detectors
