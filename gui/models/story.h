// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
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
};

/// What the window shows of a finding when it is opened: its moment, its buffers, its stack.
Selection selectionOf(const detectors::Finding& finding, const BufferFilter::Sources& sources,
                      Selection from);

/// The finding told in three to six sentences, in order of time.
std::vector<StorySentence> storyOf(const detectors::Finding& finding, const BufferFilter::Sources& sources,
                                   const Selection& from);

}  // namespace vramscope::gui
