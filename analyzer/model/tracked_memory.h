// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyzer/model/capture.h"
#include "analyzer/model/live_timeline.h"

namespace vramscope::model {

/// What the record explains of the bytes that the driver holds on a device, part by part.
struct TrackedBytes {
    std::int64_t live = 0;
    std::int64_t poolUnused = 0;  ///< reserved by stream-ordered pools and for graphs, and not in use
    std::int64_t rounding = 0;    ///< sizes rounded up to pages, and pages that a few small buffers hold
    std::int64_t ours = 0;        ///< held because of the collector

    std::int64_t total() const { return live + poolUnused + rounding + ours; }
};

/// The tracked bytes of one process on one device, or of all processes with no process, at any moment.
class TrackedMemory {
public:
    TrackedMemory(const Capture& capture, DeviceId device, ProcessId process = {});

    /// Walks all buffers: for a few moments, not for every sample of a long run.
    TrackedBytes at(std::int64_t timeNs) const;
    std::int64_t liveBytesAt(std::int64_t timeNs) const { return m_live.liveBytesAt(timeNs); }

private:
    bool isWanted(ProcessId process) const { return m_process.isNone() || m_process == process; }
    std::int64_t poolUnusedAt(std::int64_t timeNs) const;
    std::int64_t graphUnusedAt(std::int64_t timeNs) const;
    std::int64_t roundingAt(std::int64_t timeNs) const;
    std::int64_t oursAt(std::int64_t timeNs) const;

    const Capture& m_capture;
    DeviceId m_device;
    ProcessId m_process;
    LiveTimeline m_live;
};

}  // namespace vramscope::model
