// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gui/session/selection.h"

namespace vramscope::gui {

/// Which part of the run lies on which pixels. Pure geometry.
class TimeMap {
public:
    TimeMap() = default;
    /// Shows `shown` on `width` pixels from `left`; the run is [0, endNs).
    TimeMap(TimeRange shown, double left, double width, std::int64_t endNs);

    const TimeRange& shown() const { return m_shown; }
    double left() const { return m_left; }
    double width() const { return m_width; }
    double nsPerPixel() const;
    /// Where a moment lies; outside of the pixels for a moment that is not shown.
    double xOf(std::int64_t timeNs) const;
    /// The moment at a pixel, within the run.
    std::int64_t timeAt(double x) const;
    /// `factor` below 1 shows less time. The moment at `x` stays where it is.
    TimeMap zoomed(double factor, double x) const;
    TimeMap panned(double pixels) const;
    /// Shows exactly this, within the run and not below the least length.
    TimeMap showing(TimeRange shown) const;

    /// Moments of a ruler with about `pixelsApart` between them: 1, 2 or 5 times a power of ten.
    std::vector<std::int64_t> ticks(double pixelsApart) const;
    /// Nanoseconds between two such moments.
    std::int64_t tickNs(double pixelsApart) const;

    static constexpr std::int64_t kShortestNs = 100;

private:
    TimeRange m_shown{0, 1};
    double m_left = 0;
    double m_width = 1;
    std::int64_t m_endNs = 1;
};

}  // namespace vramscope::gui
