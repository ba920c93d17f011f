// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/step_clock.h"

#include <algorithm>

namespace vramscope::detectors {

StepClock::StepClock(const model::Capture& capture, model::ProcessId process) {
    for (const model::Phase& phase : capture.phases) {
        if (phase.processId == process) m_startsNs.push_back(phase.startNs);
    }
    std::sort(m_startsNs.begin(), m_startsNs.end());
}

std::int64_t StepClock::at(std::int64_t timeNs) const {
    return std::upper_bound(m_startsNs.begin(), m_startsNs.end(), timeNs) - m_startsNs.begin();
}

}  // namespace vramscope::detectors
