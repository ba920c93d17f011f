// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// Live bytes of the job's own device memory over time: device, stream-ordered, managed, mapped, arrays,
/// graphs. Physical memory created by cuMemCreate counts from its creation to its end, mapped or not, in
/// place of its mappings.
class LiveTimeline {
public:
    struct Point {
        std::int64_t timeNs;
        std::int64_t liveBytes;  ///< from timeNs to the next point
    };

    /// All devices together, or one device, of one process or of all.
    explicit LiveTimeline(const Capture& capture, DeviceId device = {}, ProcessId process = {});

    /// Changes by time; one point for each moment at which something changed.
    const std::vector<Point>& points() const { return m_points; }
    std::int64_t liveBytesAt(std::int64_t timeNs) const;
    /// The first moment with the most live bytes; {0, 0} when nothing was ever live.
    Point peak() const { return m_peak; }

private:
    std::vector<Point> m_points;
    Point m_peak{0, 0};
};

/// True when a buffer counts as live bytes of its own: VMM mappings do not when their handle is known,
/// because the handle counts.
bool countsAsLive(const Capture& capture, const Buffer& buffer);

}  // namespace vramscope::model
