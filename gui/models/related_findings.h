// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <vector>

#include "gui/session/analysis.h"

namespace vramscope::gui {

/// Other findings with the same cause: memory that two tasks hold at once, and what one of them wrote into
/// the other's because of that. Only where both speak of the same buffer and the same two tasks.
std::vector<const detectors::Finding*> relatedTo(const detectors::Finding& finding, const Analysis& analysis);

/// The one of them that a list shows `finding` below: the overwrite that shared memory made possible.
/// nullptr for one that stands by itself.
const detectors::Finding* mainOf(const detectors::Finding& finding, const Analysis& analysis);

/// What `related` is to another: "What made this possible:".
QString relationText(const detectors::Finding& related);

}  // namespace vramscope::gui
