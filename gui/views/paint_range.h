// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/models/time_map.h"

class QPainter;

namespace vramscope::gui {

struct Theme;

/// Shades a selected range between `top` and `bottom`, as far as `map` shows it.
void paintRange(QPainter& painter, const TimeMap& map, const TimeRange& range, const Theme& theme, double top,
                double bottom);

}  // namespace vramscope::gui
