// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/models/buffer_filter.h"
#include "gui/models/function_bytes.h"
#include "gui/session/job_slot.h"

namespace vramscope::gui {

/// What a tree of stacks adds up.
enum class StackMetric {
    LiveAt,     ///< bytes live at the selected moment
    Peak,       ///< bytes live when most were
    Growth,     ///< allocated in the range and alive behind it
    Held,       ///< never given back
    Allocated,  ///< all bytes that were ever allocated
    Temporary,  ///< bytes of buffers that lived shorter than a hundredth of the run
};

/// Stacks merged into one tree: a node is a function called from its parent's. Immutable; any thread may read
/// it.
struct StackTree {
    struct Node : FunctionBytes {
        std::size_t libraryRank = 0;  ///< position in StackTree::libraries
        std::int32_t parent = -1;
        std::int32_t depth = 0;
        std::vector<std::int32_t> children;  ///< largest first
    };
    std::vector<Node> nodes;             ///< the first is the root, which stands for all
    std::int64_t atNs = 0;               ///< the moment it speaks of, where it speaks of one
    std::vector<std::string> libraries;  ///< of its nodes, the one with most bytes first
};

struct StackQuestion {
    StackMetric metric = StackMetric::Peak;
    std::int64_t timeNs = 0;
    TimeRange range{};
    std::int64_t endNs = 0;
    bool isBottomUp = false;    ///< begins at the allocating functions
    bool foldsPlumbing = true;  ///< leaves frames of driver, runtime, interpreter and allocator out
};

StackTree buildStackTree(const BufferFilter::Sources& sources, const BufferFilter& filter,
                         const StackQuestion& question, const Cancel& cancel);

/// The node in which a stack ends, or -1.
std::int32_t nodeOfStack(const StackTree& tree, model::StackId stack);

}  // namespace vramscope::gui
