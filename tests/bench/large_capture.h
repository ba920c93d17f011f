// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace vramscope::bench {

/// Writes a capture of `bufferCount` buffers from 500 stacks, four fifths of them freed, over `bufferCount` /
/// 5000 seconds, with live_levels as a recorder leaves them. The same on every run. Ends the program on an
/// error.
void writeLargeCapture(const std::filesystem::path& path, std::int64_t bufferCount);

}  // namespace vramscope::bench
