// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gui/models/buffer_filter.h"

namespace vramscope::gui {

/// The most that each device had at once, of what the filter lets through.
std::vector<std::int64_t> devicePeaks(const BufferFilter::Sources& sources, const BufferFilter& filter,
                                      const std::vector<model::DeviceId>& devices, const Cancel& cancel);

/// Between how little and how much some devices had, over time.
class DeviceSpread {
public:
    struct Step {
        std::int64_t leastBytes = 0;  ///< of the device that had least, the most that it had in the step
        std::int64_t mostBytes = 0;
    };

    DeviceSpread() = default;
    DeviceSpread(const BufferFilter::Sources& sources, const BufferFilter& filter,
                 const std::vector<model::DeviceId>& devices, std::int64_t endNs, const Cancel& cancel);

    bool isEmpty() const { return m_steps.empty(); }
    Step at(std::int64_t timeNs) const;

private:
    std::int64_t m_stepNs = 1;
    std::vector<Step> m_steps;
};

}  // namespace vramscope::gui
