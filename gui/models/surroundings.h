// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/session/buffer_store.h"
#include "gui/session/job_slot.h"

namespace vramscope::gui {

/// Who held a buffer's bytes before and after it, and who lay beside it.
struct Surroundings {
    std::vector<Row> before;      ///< the last few that began before it, by allocation
    std::vector<Row> after;       ///< the first few that began with it or later
    std::int64_t ownerCount = 0;  ///< all of both kinds
    std::int64_t momentNs = 0;    ///< when the neighbours were live
    std::optional<Row> below;     ///< nearest in the same process and kind of memory
    std::optional<Row> above;
};

/// Looks through all buffers once; `timeNs` is moved into the buffer's life, `mostOwners` is for each side.
Surroundings surroundingsOf(const BufferStore& store, Row row, std::int64_t timeNs, std::size_t mostOwners,
                            const Cancel& cancel);

}  // namespace vramscope::gui
