// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "analyzer/detectors/finding.h"
#include "gui/models/buffer_filter.h"
#include "gui/session/selection.h"

namespace vramscope::gui {

/// A sentence of a finding's story, and what the window shows when it is followed.
struct StorySentence {
    QString when;  ///< "0.132 s"; empty for what has no moment
    QString text;
    Selection target;
    std::int64_t timeNs = model::kNever;  ///< the moment; kNever for what has none
};

/// What the window shows of a finding when it is opened: its moment, its buffers, its stack.
Selection selectionOf(const detectors::Finding& finding, const BufferFilter::Sources& sources,
                      Selection from);

/// When a finding happened: the moment of the fault, or from the first of its buffers to the last. nullopt
/// when nothing says.
std::optional<TimeRange> whenOf(const detectors::Finding& finding, const BufferStore& store);

/// The finding told in three to six sentences, in order of time.
std::vector<StorySentence> storyOf(const detectors::Finding& finding, const BufferFilter::Sources& sources,
                                   const Selection& from);

}  // namespace vramscope::gui
