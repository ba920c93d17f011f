// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <string_view>

namespace vramscope::gui {

/// Text of a capture or of the analyzer. What is no UTF-8 becomes replacement characters.
QString toText(std::string_view text);
/// The same for a place where Qt might take it for rich text.
QString toEscaped(std::string_view text);
/// "8.1 MiB" as the reports write it.
QString bytesText(std::int64_t bytes);
/// "8.1 MiB (8,493,465 bytes)".
QString exactBytesText(std::int64_t bytes);
QString countText(std::int64_t count);
/// A moment with as many digits as tell `resolutionNs` apart: "1.204 s".
QString timeText(std::int64_t ns, std::int64_t resolutionNs = 1'000'000);
QString durationText(std::int64_t ns);

}  // namespace vramscope::gui
