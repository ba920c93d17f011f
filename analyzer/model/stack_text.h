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

/// The same for a page: runs of frames in one framework or compute library shrink to the first and the last
/// of them, frames of an interpreter are left out, functions are shortFunction()s. A line that stands for
/// several frames has no place.
std::vector<FrameText> toldFrames(const Capture& capture, StackId stack, std::size_t most);

/// A demangled function in a few words: no result type, no parameters, template arguments as <...>, and when
/// that is still long only its last two names: "DeviceCachingAllocator::alloc_block".
std::string shortFunction(std::string_view function);

/// "train.py:88 make_mask": where a person would look first, which is the innermost frame of the program's
/// own code; "train.cpp:12 main, in cublas" when a library asked on its behalf. Where no such frame is known
/// it is the library's, the one that a script called if there was a script. "a place that was not recorded"
/// with no stack.
std::string shortPlace(const Capture& capture, StackId stack);

/// A name of the stack that is the same in every run: functions and module files, no addresses, no lines.
std::string stableName(const Capture& capture, StackId stack);

}  // namespace vramscope::model
