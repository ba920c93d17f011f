// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace vramscope::collector {

/// Writes to `stream` and never minds when that fails. fmt::print() throws there, and a terminal that was
/// closed (`| head`) must cost neither the capture nor the job's exit code. Safe from any thread.
template <typename... Arguments>
void writeTo(std::FILE* stream, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
    std::fwrite(text.data(), 1, text.size(), stream);
}

/// Messages: writeTo() standard error.
template <typename... Arguments>
void tellUser(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    writeTo(stderr, format, std::forward<Arguments>(arguments)...);
}

}  // namespace vramscope::collector
