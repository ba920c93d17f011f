// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRectF>

#include "gui/models/time_map.h"
#include "gui/session/preview.h"

namespace vramscope::gui {

/// Where a lane between `top` and `bottom` is hatched for a loss: all of it where its memory may be wrong, a
/// strip at the bottom where only other records are missing. At least three pixels wide; empty where nothing
/// of it is in what `map` shows.
QRectF lossArea(const Preview::Gap& gap, const TimeMap& map, double top, double bottom);

}  // namespace vramscope::gui
