// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gui/models/stack_tree.h"

namespace vramscope::gui {

/// All that was allocated below one function, wherever it was called from. Where it calls itself only the
/// outermost call counts, so that no byte counts twice.
using FunctionTotal = FunctionBytes;

/// The functions of a tree that begins at the outermost ones, the one with most bytes first.
std::vector<FunctionTotal> functionTotals(const StackTree& topDown);

/// A function with everything above and below it. The root of both trees is the function itself.
struct Sandwich {
    StackTree callers;  ///< from the function out
    StackTree callees;  ///< from the function in
};

/// Empty trees when the tree has no such function.
Sandwich sandwichOf(const StackTree& topDown, const std::string& function, const std::string& library);

}  // namespace vramscope::gui
