// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// A stack deeper than this is cut: a hostile file can make a ring of stacks.
inline constexpr std::size_t kDeepestStack = 512;

/// The frames of a stack from the innermost out; empty for no stack. Frames that the capture lacks are left
/// out.
std::vector<const Frame*> framesOf(const Capture& capture, StackId stack);

/// One frame for a person: its function and place ("make_mask", "train.py:88"), or the module and offset when
/// the file has no symbol there.
struct FrameText {
    std::string function;
    std::string place;
};
FrameText frameText(const Capture& capture, const Frame& frame);

/// The frames worth showing, from the innermost that is not plumbing outwards, inlined functions expanded; at
/// most `most`. Empty when the stack is unknown.
std::vector<FrameText> readableFrames(const Capture& capture, StackId stack, std::size_t most);

/// "train.py:88 make_mask": where a person would look first; "a place that was not recorded" with no stack.
std::string shortPlace(const Capture& capture, StackId stack);

/// A name of the stack that is the same in every run: functions and module files, no addresses, no lines.
std::string stableName(const Capture& capture, StackId stack);

}  // namespace vramscope::model
