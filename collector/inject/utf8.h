// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace vramscope::collector {

/// Writes `wide` (UTF-32, as wchar_t is on Linux) to `target` in UTF-8, NUL-terminated. What is no character
/// becomes U+FFFD; what does not fit in `capacity` bytes is left out, never in the middle of a character.
/// Returns false when something was left out. Null is "".
bool toUtf8(const wchar_t* wide, char* target, std::size_t capacity);

}  // namespace vramscope::collector
