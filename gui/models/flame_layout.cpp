// SPDX-License-Identifier: Apache-2.0
#include "gui/models/flame_layout.h"

#include <algorithm>

namespace vramscope::gui {
namespace {

struct Pending {
    std::int32_t node;
    double left;
    double width;
    int row;
};

}  // namespace

std::vector<FlameBox> layoutFlame(const StackTree& tree, std::int32_t root, double width, double rowHeight) {
    std::vector<FlameBox> boxes;
    if (tree.nodes.empty() || tree.nodes.front().bytes <= 0) return boxes;
    std::vector<std::int32_t> above;
    for (std::int32_t node = root; node >= 0; node = tree.nodes[static_cast<std::size_t>(node)].parent)
        above.push_back(node);
    std::reverse(above.begin(), above.end());
    int row = 0;
    for (std::size_t i = 0; i + 1 < above.size(); ++i, ++row)
        boxes.push_back({QRectF(0, row * rowHeight, width, rowHeight), above[i], 0});
    std::vector<Pending> pending{{root, 0, width, row}};
    while (!pending.empty()) {
        const Pending at = pending.back();
        pending.pop_back();
        boxes.push_back({QRectF(at.left, at.row * rowHeight, at.width, rowHeight), at.node, 0});
        const StackTree::Node& node = tree.nodes[static_cast<std::size_t>(at.node)];
        if (node.bytes <= 0) continue;
        double left = at.left;
        double mergedWidth = 0;
        std::int32_t mergedCount = 0;
        for (const std::int32_t child : node.children) {
            const double share = static_cast<double>(tree.nodes[static_cast<std::size_t>(child)].bytes) /
                                 static_cast<double>(node.bytes) * at.width;
            if (share < kLeastFlameWidth) {
                mergedWidth += share;
                ++mergedCount;
                continue;
            }
            pending.push_back({child, left, share, at.row + 1});
            left += share;
        }
        if (mergedWidth >= 1)
            boxes.push_back(
                {QRectF(left, (at.row + 1) * rowHeight, mergedWidth, rowHeight), -1, mergedCount});
    }
    return boxes;
}

}  // namespace vramscope::gui
