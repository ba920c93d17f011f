// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gui/models/buffer_filter.h"
#include "gui/session/owner_record.h"

namespace vramscope::gui {

/// A buffer's life as a rectangle: its bytes against the time.
struct OwnerBox {
    Row row = 0;
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    TimeRange life;
    std::size_t band = 0;  ///< where it is drawn
};

/// A stretch of addresses, drawn as one field. The first is around the chosen buffer; others hold the same
/// physical memory at other addresses.
struct OwnerBand {
    std::uint64_t fromAddress = 0;
    std::uint64_t toAddress = 0;
    bool isAlias = false;
};

/// Bytes that two buffers of a band held at once.
struct OwnerOverlap {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    TimeRange time;
};
/// Most overlaps that are drawn.
inline constexpr std::size_t kMostOverlaps = 1000;

/// Something to draw on a box.
struct PlacedMark {
    OwnerMark mark;
    std::size_t box = 0;
    std::size_t through = 0;  ///< the box that was written through; `box` when it is the same
};
struct PlacedSpan {
    OwnedSpan span;
    std::size_t box = 0;
};

/// Everything that ever lay at or beside some bytes of a process, by address. Buffers that were never
/// neighbours of the chosen bytes are left out: only the stretch that one allocator cut up is shown.
struct OwnerChart {
    std::uint64_t fromAddress = 0;  ///< of the first band
    std::uint64_t toAddress = 0;
    std::vector<OwnerBand> bands;
    std::vector<OwnerBox> boxes;  ///< of a band in order of allocation, band by band
    std::int64_t leftOut = 0;     ///< buffers in the range beyond the most that are shown

    std::vector<OwnerOverlap> overlaps;  ///< in the first band
    std::vector<PlacedSpan> spans;
    std::vector<PlacedMark> marks;     ///< by box, then time
    std::vector<model::TaskId> tasks;  ///< owners in the chart, in order of appearance
    bool hasRecord = false;            ///< spans and marks were read
    bool isRecordWhole = true;         ///< false when not all accesses could be read
};

/// The chart around a buffer: its bytes and as much again on both sides; of a buffer below a page up to three
/// times as much.
OwnerChart ownersAround(const BufferFilter::Sources& sources, Row row, std::int64_t endNs,
                        const Cancel& cancel);

/// The same with aliases of the buffer, owners and marks. Needs the capture that the analysis holds; without
/// it, or when the file cannot be read, the chart comes back as it is.
OwnerChart withRecord(OwnerChart chart, const BufferFilter::Sources& sources, Row row, std::int64_t endNs,
                      const Cancel& cancel);

/// Position of a task in `tasks`; their number when it is not there.
std::size_t taskNumber(const OwnerChart& chart, model::TaskId task);

}  // namespace vramscope::gui
