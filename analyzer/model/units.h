// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vramscope::model {

/// "512 bytes", "8.1 MiB", "60.9 GiB": three digits are enough for a person; exact numbers are in --json.
std::string bytesText(std::int64_t bytes);
/// "9,100,000".
std::string countText(std::int64_t count);
/// "1 buffer", "115 buffers"; `plural` for words that do not just take an s.
std::string countOf(std::int64_t count, std::string_view noun, std::string_view plural = {});
/// A length of time: "41.3 s", "12 min 5 s", "3.2 ms".
std::string durationText(std::int64_t ns);
/// A moment: "39.8 s", or "35.112 s" where the milliseconds count.
std::string momentText(std::int64_t ns);

}  // namespace vramscope::model
