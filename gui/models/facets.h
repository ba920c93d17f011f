// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "gui/models/buffer_filter.h"
#include "gui/session/job_slot.h"

namespace vramscope::gui {

/// Buffers that have one value of something in common.
struct FacetValue {
    QString label;
    QString words;  ///< what a filter needs to show only these
    std::int64_t count = 0;
    std::int64_t bytes = 0;
};

/// One thing that buffers differ in, and what is there of it: the values of most bytes first.
struct Facet {
    QString title;
    std::vector<FacetValue> values;
    std::int64_t moreValues = 0;  ///< values beyond the most that are listed
};

/// Values of a facet that are listed.
inline constexpr std::size_t kMostFacetValues = 12;

/// Counts the buffers that pass the filter by kind, owner, library and so on. A facet in which all buffers
/// that pass are alike is there, too: its value may be what the filter asks for.
std::vector<Facet> facetsOf(const BufferFilter::Sources& sources, const BufferFilter& filter,
                            const Cancel& cancel);

}  // namespace vramscope::gui
