// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace vramscope::detectors {

/// A kernel's name as its source has it, in short; "a kernel" where it has none.
std::string kernelText(std::string_view mangled);
/// The same as part of a sentence: "kernel reduce", "a kernel" of one without a name.
std::string kernelPhrase(std::string_view mangled);

/// Where in a kernel's code something was done, from the model's text for it (model/code_place.h):
/// "fill.cu:6", or "fill+0x50, of a module without lines". Empty for an empty one.
std::string placeText(std::string_view place);

}  // namespace vramscope::detectors
