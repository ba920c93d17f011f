// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRectF>
#include <cstdint>
#include <vector>

#include "gui/models/stack_tree.h"

namespace vramscope::gui {

/// One box of a flame graph. Boxes narrower than the least width are merged into one with node -1.
struct FlameBox {
    QRectF rect;
    std::int32_t node = -1;
    std::int32_t mergedCount = 0;
};

/// Boxes of the tree below `root` on `width` pixels, the root on top; ancestors of the root lie above it at
/// full width. Pure geometry.
std::vector<FlameBox> layoutFlame(const StackTree& tree, std::int32_t root, double width, double rowHeight);

/// Narrower boxes are merged.
inline constexpr double kLeastFlameWidth = 3;

}  // namespace vramscope::gui
