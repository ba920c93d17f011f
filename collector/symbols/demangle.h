// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace vramscope::symbols {

/// The name as people write it. Names that are not mangled, or too long to be worth it (more than 8 KiB),
/// come back as they are; no result is longer than 4 KiB, and bytes that are no UTF-8 are replaced so that it
/// can be stored as text.
std::string demangle(std::string_view name);

/// Cuts a name or path out of a strange file to `mostBytes` and makes it valid UTF-8.
std::string cleanText(std::string_view text, std::size_t mostBytes);

}  // namespace vramscope::symbols
