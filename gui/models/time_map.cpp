// SPDX-License-Identifier: Apache-2.0
#include "gui/models/time_map.h"

#include <algorithm>
#include <cmath>

namespace vramscope::gui {

TimeMap::TimeMap(TimeRange shown, double left, double width, std::int64_t endNs)
    : m_left(left), m_width(std::max(width, 1.0)), m_endNs(std::max<std::int64_t>(endNs, 1)) {
    *this = showing(shown);
}

TimeMap TimeMap::showing(TimeRange shown) const {
    TimeMap map = *this;
    const std::int64_t shortest = std::min(kShortestNs, m_endNs);
    std::int64_t length = std::clamp(shown.lengthNs(), shortest, m_endNs);
    std::int64_t from = shown.fromNs;
    if (shown.lengthNs() < shortest) from -= (shortest - shown.lengthNs()) / 2;
    from = std::clamp<std::int64_t>(from, 0, m_endNs - length);
    map.m_shown = {from, from + length};
    return map;
}

double TimeMap::nsPerPixel() const {
    return static_cast<double>(m_shown.lengthNs()) / m_width;
}

double TimeMap::xOf(std::int64_t timeNs) const {
    return m_left + static_cast<double>(timeNs - m_shown.fromNs) / nsPerPixel();
}

std::int64_t TimeMap::timeAt(double x) const {
    const double ns = static_cast<double>(m_shown.fromNs) + (x - m_left) * nsPerPixel();
    return std::clamp<std::int64_t>(std::llround(ns), 0, m_endNs);
}

TimeMap TimeMap::zoomed(double factor, double x) const {
    const double before = static_cast<double>(m_shown.lengthNs());
    const double after = std::clamp(before * factor, static_cast<double>(std::min(kShortestNs, m_endNs)),
                                    static_cast<double>(m_endNs));
    const double fraction = std::clamp((x - m_left) / m_width, 0.0, 1.0);
    const double from = static_cast<double>(m_shown.fromNs) + fraction * (before - after);
    const auto fromNs = static_cast<std::int64_t>(std::llround(from));
    return showing({fromNs, fromNs + static_cast<std::int64_t>(std::llround(after))});
}

TimeMap TimeMap::panned(double pixels) const {
    const auto delta = static_cast<std::int64_t>(std::llround(pixels * nsPerPixel()));
    return showing({m_shown.fromNs + delta, m_shown.toNs + delta});
}

std::int64_t TimeMap::tickNs(double pixelsApart) const {
    const double wanted = std::max(nsPerPixel() * pixelsApart, 1.0);
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    for (const double step : {1.0, 2.0, 5.0}) {
        if (step * power >= wanted) return std::max<std::int64_t>(std::llround(step * power), 1);
    }
    return std::max<std::int64_t>(std::llround(10.0 * power), 1);
}

std::vector<std::int64_t> TimeMap::ticks(double pixelsApart) const {
    std::vector<std::int64_t> moments;
    const std::int64_t step = tickNs(pixelsApart);
    for (std::int64_t at = (m_shown.fromNs + step - 1) / step * step; at <= m_shown.toNs; at += step)
        moments.push_back(at);
    return moments;
}

}  // namespace vramscope::gui
