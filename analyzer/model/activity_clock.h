// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// Time as the job's own work tells it: how many allocations, launches, copies, sets and synchronisations a
/// process had begun by a moment. A loop of 2 ms followed by a pause of a minute is all of the run on this
/// clock, which is what "until the end of the run" must mean. Frees do not count: teardown consists of them.
class ActivityClock {
public:
    ActivityClock(const Capture& capture, ProcessId process);

    /// Events begun at or before the moment.
    std::int64_t at(std::int64_t timeNs) const;
    /// All events of the process.
    std::int64_t end() const { return static_cast<std::int64_t>(m_timesNs.size()); }

private:
    std::vector<std::int64_t> m_timesNs;
};

}  // namespace vramscope::model
