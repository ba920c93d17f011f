// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>
#include <cstdint>
#include <memory>
#include <vector>

#include "gui/models/buffer_filter.h"
#include "gui/session/buffer_store.h"
#include "gui/session/job_slot.h"

namespace vramscope::gui {

/// Columns of the table of buffers.
enum class BufferColumn {
    Name,
    Size,
    Kind,
    Allocated,
    Freed,
    Lifetime,
    Process,
    Device,
    Task,
    Place,
    Library,
    Api,
    Finding
};
inline constexpr int kBufferColumns = 13;

/// The rows that a table shows, in the order it shows them.
struct RowOrder {
    std::vector<Row> rows;
    std::int64_t totalBytes = 0;
    std::int64_t liveBytes = 0;  ///< of those, bytes of device memory that were never given back
    bool isSorted = true;        ///< false: only the first page is in order, the rest follows
};

/// Rows of the first page that firstPage() puts into order.
inline constexpr std::size_t kFirstPage = 500;

/// The buffers that pass the filter, the first page sorted. Much faster than sorting all of them.
RowOrder firstPage(const BufferFilter::Sources& sources, const BufferFilter& filter, BufferColumn column,
                   Qt::SortOrder order, const Cancel& cancel);
/// The whole of an order whose first page was put into order. Empty when cancelled.
RowOrder sortedFully(const BufferFilter::Sources& sources, const RowOrder& order, BufferColumn column,
                     Qt::SortOrder direction, const Cancel& cancel);

}  // namespace vramscope::gui
