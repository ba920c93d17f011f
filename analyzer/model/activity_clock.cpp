// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/activity_clock.h"

#include <algorithm>

namespace vramscope::model {

ActivityClock::ActivityClock(const Capture& capture, ProcessId process) {
    const auto work = capture.activity.find(process);
    if (work != capture.activity.end()) m_timesNs = work->second.allNs;
    for (const Buffer& b : capture.buffers) {
        if (b.processId == process) m_timesNs.push_back(b.allocNs);
    }
    for (const Object& o : capture.objects) {
        if (o.processId == process) m_timesNs.push_back(o.createNs);
    }
    for (const VmmHandle& h : capture.vmmHandles) {
        if (h.processId == process) m_timesNs.push_back(h.createNs);
    }
    std::sort(m_timesNs.begin(), m_timesNs.end());
}

std::int64_t ActivityClock::at(std::int64_t timeNs) const {
    return std::upper_bound(m_timesNs.begin(), m_timesNs.end(), timeNs) - m_timesNs.begin();
}

}  // namespace vramscope::model
