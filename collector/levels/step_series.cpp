// SPDX-License-Identifier: Apache-2.0
#include "collector/levels/step_series.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace vramscope::levels {

void StepSeries::add(std::int64_t timeNs, std::int64_t delta) {
    if (timeNs > m_timeNs) holdUntil(timeNs);
    m_value += delta;
}

void StepSeries::holdUntil(std::int64_t endNs) {
    const auto value =
        static_cast<std::int64_t>(std::clamp<__int128>(m_value, 0, std::numeric_limits<std::int64_t>::max()));
    const auto first = static_cast<std::size_t>(m_timeNs / m_widthNs);
    const auto last = std::min(static_cast<std::size_t>((endNs - 1) / m_widthNs), m_steps.size() - 1);
    for (std::size_t i = first; i <= last; ++i) {
        Step& step = m_steps[i];
        if (i >= m_begun) {
            step = {value, value, value};
            m_begun = i + 1;
            continue;
        }
        step.min = std::min(step.min, value);
        step.max = std::max(step.max, value);
        step.last = value;
    }
    m_timeNs = endNs;
}

std::vector<Step> StepSeries::finish() {
    const std::size_t count = m_steps.size();
    const std::int64_t endNs = m_widthNs * static_cast<std::int64_t>(count);
    if (endNs > m_timeNs) holdUntil(endNs);
    m_begun = 0;
    m_timeNs = 0;
    m_value = 0;
    return std::exchange(m_steps, std::vector<Step>(count));
}

std::vector<Step> coarsen(const std::vector<Step>& steps, std::size_t factor) {
    std::vector<Step> coarse;
    coarse.reserve(steps.size() / factor + 1);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i % factor == 0) {
            coarse.push_back(steps[i]);
            continue;
        }
        Step& step = coarse.back();
        step.min = std::min(step.min, steps[i].min);
        step.max = std::max(step.max, steps[i].max);
        step.last = steps[i].last;
    }
    return coarse;
}

}  // namespace vramscope::levels
