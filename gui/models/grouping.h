// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <vector>

#include "gui/models/buffer_filter.h"
#include "gui/session/buffer_store.h"

namespace vramscope::gui {

/// What the time line stacks its memory by.
enum class GroupBy { Library, Kind, Stack, Task, Process, Size, Phase, Call, Name };

/// Groups that are drawn apart, the one of all others included.
inline constexpr std::size_t kMostGroups = 10;
/// A row that counts in no group: host memory, or hidden by the filter.
inline constexpr std::uint8_t kNoGroup = 255;

/// Buffers in a few groups, the largest at the peak first.
struct Grouping {
    std::vector<QString> labels;
    std::vector<QString> filters;  ///< what a filter needs to show the group alone; empty where it cannot
    int foldedGroup = -1;  ///< the one that stands for many, which its label describes; -1 when there is none
    std::vector<std::uint8_t> groupOfRow;
    std::int64_t peakNs = 0;
    std::int64_t peakBytes = 0;
    std::int64_t countedRows = 0;
};

/// Groups the device memory that passes the filter; `device` narrows it to one device.
Grouping groupRows(const BufferFilter::Sources& sources, const BufferFilter& filter, GroupBy by,
                   model::DeviceId device, const Cancel& cancel);

}  // namespace vramscope::gui
