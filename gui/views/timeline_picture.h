// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <vector>

#include "gui/models/live_series.h"
#include "gui/views/theme.h"

namespace vramscope::gui {

/// Paints stacked groups into `image`, a column of `columns` for each pixel from the left edge `x` on,
/// between the lines `top` and `bottom`, where `fullBytes` reaches the top. Writes pixels: some ten times
/// faster than filling rectangles. The image must be RGB32. `foldedGroup`, which stands for many, is crossed
/// by lines in both directions.
void paintStack(QImage& image, int x, int top, int bottom, const std::vector<GroupBytes>& columns,
                std::size_t groupCount, std::int64_t fullBytes, const Theme& theme, int foldedGroup = -1);

/// A stretch of one pixel column, in bytes; empty where `toBytes` is not above `fromBytes`.
struct HatchColumn {
    std::int64_t fromBytes = 0;
    std::int64_t toBytes = 0;
};

/// Thin slanted lines over part of a lane, for what is known only as a sum or not at all. What lies below
/// stays to be seen. Columns as in paintStack().
void paintHatch(QImage& image, int x, int top, int bottom, const std::vector<HatchColumn>& columns,
                std::int64_t fullBytes, QRgb color);

}  // namespace vramscope::gui
