// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gui/models/buffer_filter.h"

namespace vramscope::gui {

/// A buffer's life as a rectangle: its bytes against the time.
struct OwnerBox {
    Row row = 0;
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    TimeRange life;
};

/// Everything that ever lay at or beside some bytes of a process, by address. Buffers that were never
/// neighbours of the chosen bytes are left out: only the stretch that one allocator cut up is shown.
struct OwnerChart {
    std::uint64_t fromAddress = 0;
    std::uint64_t toAddress = 0;
    std::vector<OwnerBox> boxes;  ///< in order of allocation
    std::int64_t leftOut = 0;     ///< buffers in the range beyond the most that are shown
};

/// The chart around a buffer: its bytes and as much again on both sides, at least a page.
OwnerChart ownersAround(const BufferFilter::Sources& sources, Row row, std::int64_t endNs,
                        const Cancel& cancel);

}  // namespace vramscope::gui
